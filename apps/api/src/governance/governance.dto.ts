import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
} from 'class-validator';

import { type Ballot, BALLOTS } from '#lib/governance';
import type { JsonObject } from '#lib/kernel';

import { PageQuery, UnredactedPageQuery } from '../edge/index.js';

const DIGEST = /^[0-9a-f]{64}$/;
const STATUSES = ['pending', 'approved', 'rejected', 'expired', 'executed'];

class Justified {
  /** Why it should be done. */
  @IsString()
  @MinLength(1)
  @MaxLength(4000)
  justification!: string;

  /** Ids and keys that support it. */
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  @ArrayMaxSize(64)
  evidence?: string[];
}

/** POST /actionrequest/create. */
export class CreateRequestDto extends Justified {
  /** What is to be done, such as sem_put; the same as payload.action. */
  @IsString()
  @MinLength(1)
  @MaxLength(64)
  kind!: string;

  /** With what: `{action, ...}`. */
  @IsObject()
  payload!: JsonObject;
}

/** POST /actionrequest/{id}/vote. */
export class VoteDto {
  @IsIn(BALLOTS)
  vote!: Ballot;

  /** As GET /actionrequest/{id} names it: what the vote signs. */
  @Matches(DIGEST)
  proposal_digest!: string;

  @IsOptional()
  @IsString()
  @MaxLength(4000)
  reason?: string;
}

/** POST /actionrequest/{id}/approve. */
export class ApproveDto {
  @Matches(DIGEST)
  proposal_digest!: string;

  @IsOptional()
  @IsString()
  @MaxLength(4000)
  reason?: string;
}

/** GET /actionrequest. */
export class ListRequestsQuery extends PageQuery {
  @IsOptional()
  @IsIn(STATUSES)
  status?: string;

  @IsOptional()
  @IsString()
  @MaxLength(64)
  kind?: string;
}

/** POST /governance/policy/propose. */
export class ProposePolicyDto extends Justified {
  /** governance, router, brainstate, selfrep, safety, privacy, agents_allowed_writes or negotiation. */
  @IsString()
  @MinLength(1)
  @MaxLength(64)
  policy!: string;

  /** A merge patch (RFC 7396) of the policy in force. */
  @IsObject()
  change!: JsonObject;
}

/**
 * POST /superadmin/override: either `request_id` and `proposal_digest` of a request that is there, or `kind`, `payload`
 * and `justification` of one that begins with it.
 */
export class OverrideDto {
  @IsOptional()
  @IsString()
  @MaxLength(64)
  request_id?: string;

  @IsOptional()
  @Matches(DIGEST)
  proposal_digest?: string;

  @IsOptional()
  @IsString()
  @MaxLength(64)
  kind?: string;

  @IsOptional()
  @IsObject()
  payload?: JsonObject;

  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(4000)
  justification?: string;

  /** Why it cannot wait for the council. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(4000)
  reason?: string;
}

/** GET /governance/events/{id}. */
export class GovernanceEventsQuery extends UnredactedPageQuery {
  /** A position of the log. */
  @IsOptional()
  @IsString()
  @Matches(/^(0|[1-9][0-9]{0,19})$/)
  as_of?: string;
}
