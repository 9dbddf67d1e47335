import { IsIn, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';

import type { HaltRow } from '#lib/governance';
import { MISSING_KINDS } from '#lib/jobs';

import { PageQuery } from '../edge/index.js';

/** GET /replay/halts. */
export class ListHaltsQuery extends PageQuery {
  /** `halted` where absent. */
  @IsOptional()
  @IsIn(['halted', 'cleared'])
  status?: HaltRow['status'];
}

/** POST /replay/halts/{snapshot_id}/clear. */
export class ClearHaltDto {
  /** For those who vote: what was found and mended; without personal data. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(4000)
  justification?: string;
}

const MISSING = new RegExp(`^(?:${MISSING_KINDS.join('|')})(?::[A-Za-z0-9_.-]{1,128})?$`);

/** GET /jobs/unreplayable. */
export class ListUnreplayableQuery extends PageQuery {
  /** A kind (`snapshot`, `agent_output`, `input`, `record`, `integrity`), or the name of one artifact, `snapshot:{id}`. */
  @IsOptional()
  @Matches(MISSING)
  missing?: string;
}
