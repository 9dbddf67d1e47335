import {
  IsBoolean,
  IsIn,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';

import {
  AMENDMENT_EFFECTS,
  type AmendmentEffect,
  AUDIT_TAG,
  COUNT_STEPS,
  type CountStep,
  JOB_STATUSES,
  MAX_NOTE,
} from '#lib/jobs';
import { ERROR_CATALOGUE, type ErrorCode, type JsonObject } from '#lib/kernel';

import { PageQuery, UnredactedPageQuery } from '../edge/index.js';

/** GET /jobs/{job_id}/events. */
export class JobEventsQuery extends UnredactedPageQuery {
  /** Only events of this type. */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  type?: string;
}

/** POST /jobs. */
export class AskDto {
  /** What is asked, at most 8,000 characters. */
  @IsString()
  @MinLength(1)
  query_text!: string;

  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(256)
  user_id?: string;

  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  job_seed?: string;

  /** Texts by name. */
  @IsOptional()
  @IsObject()
  context_tags?: Record<string, string>;

  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  priority?: number;

  /** false: of what outside engines say a keyed hash alone is kept, besides the final answer; the job cannot be replayed. */
  @IsOptional()
  @IsBoolean()
  persist_agent_outputs?: boolean;
}

/** A time of the clock, in UTC. */
const UTC_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?Z$/;

/** GET /jobs. */
export class ListJobsQuery extends PageQuery {
  @IsOptional()
  @IsIn(JOB_STATUSES)
  status?: (typeof JOB_STATUSES)[number];

  /** Only jobs that went to this agent last, such as `math_agent`. */
  @IsOptional()
  @IsString()
  @MaxLength(128)
  agent?: string;

  /** Only jobs that ended with this error. */
  @IsOptional()
  @IsIn(Object.keys(ERROR_CATALOGUE))
  error_code?: ErrorCode;

  /** What the job said of itself at its end; `/jobs/unreplayable` has what was found later. */
  @IsOptional()
  @IsBoolean()
  replayable?: boolean;

  /** Only jobs that were asked for at this time or later, such as `2026-11-21T12:00:00Z`. */
  @IsOptional()
  @Matches(UTC_TIME)
  from_time?: string;

  /** Only jobs that were asked for before this time. */
  @IsOptional()
  @Matches(UTC_TIME)
  to_time?: string;
}

/** GET /jobs/counts. */
export class CountJobsQuery {
  /** The step in which it lies is the first. */
  @IsOptional()
  @Matches(UTC_TIME)
  from_time?: string;

  /** Now where absent. */
  @IsOptional()
  @Matches(UTC_TIME)
  to_time?: string;

  /** Seconds that are counted together; an hour where absent. */
  @IsOptional()
  @IsIn(COUNT_STEPS)
  step?: CountStep;
}

/** POST /jobs/{job_id}/feedback. */
export class FeedbackDto {
  @IsBoolean()
  upvote!: boolean;

  @IsOptional()
  @IsString()
  @MaxLength(MAX_NOTE)
  comment?: string;
}

/** POST /jobs/{job_id}/review. */
export class ReviewDto {
  /** What those who review should know. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_NOTE)
  comment?: string;
}

/** POST /reflective-logs/{log_id}/amendments. */
export class AmendmentDto {
  @IsIn(AMENDMENT_EFFECTS)
  effect!: AmendmentEffect;

  @IsObject()
  changes!: JsonObject;
}

/** POST /reflective-logs/{log_id}/ground_truth. */
export class GroundTruthDto {
  @IsBoolean()
  correct!: boolean;

  @IsOptional()
  @IsString()
  @MaxLength(MAX_NOTE)
  note?: string;
}

/** POST /reflective-logs/{log_id}/audit_tags. */
export class AuditTagDto {
  /** A word of lower-case letters, digits, _ and -. */
  @IsString()
  @Matches(AUDIT_TAG)
  tag!: string;

  @IsOptional()
  @IsString()
  @MaxLength(MAX_NOTE)
  note?: string;
}
