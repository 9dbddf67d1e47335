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

import type { JsonObject } from '#lib/kernel';
import { AMENDMENT_EFFECTS, type AmendmentEffect, AUDIT_TAG, MAX_NOTE } from '#lib/jobs';

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
