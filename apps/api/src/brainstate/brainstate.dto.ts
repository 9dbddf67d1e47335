import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsDefined,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';

import { GOAL_ORIGINS, GOAL_TYPES, MAX_GOALS, type GoalOrigin, type GoalType } from '#lib/brainstate';
import type { Json, JsonObject } from '#lib/kernel';

import { PageQuery, UnredactedQuery } from '../edge/index.js';

/** The id of a snapshot or an event. */
const HASH = /^[0-9a-f]{64}$/;
const MAX_EVENTS = 100;

class GoalDto {
  @IsIn(GOAL_TYPES)
  type!: GoalType;

  /** `g1`, `g2`, ... where absent. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(64)
  goal_id?: string;

  @IsOptional()
  @IsIn(GOAL_ORIGINS)
  origin?: GoalOrigin;

  /** How much the user cares; the goal's own priority follows from it. */
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  priority?: number;

  @IsOptional()
  @IsString()
  @MaxLength(40)
  deadline_ts?: string;

  @IsOptional()
  @IsObject()
  metadata?: JsonObject;
}

class AttentionDto {
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  attention_gain?: number;

  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  explore_bias?: number;

  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  reward_signal?: number;
}

class ResourceBudgetDto {
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(1_000_000)
  token_budget?: number;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(100)
  max_depth_allowed?: number;
}

/** POST /brainstate/create_snapshot. */
export class CreateSnapshotDto {
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  job_seed!: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_GOALS)
  @ValidateNested({ each: true })
  @Type(() => GoalDto)
  goals?: GoalDto[];

  @IsOptional()
  @ValidateNested()
  @Type(() => AttentionDto)
  attention?: AttentionDto;

  @IsOptional()
  @ValidateNested()
  @Type(() => ResourceBudgetDto)
  resource_budget?: ResourceBudgetDto;
}

/** POST /brainstate/insert. */
export class InsertDto {
  @IsString()
  @Matches(HASH)
  brainstate_snapshot_id!: string;

  @IsIn(['fact', 'context', 'user_hint'])
  type!: 'fact' | 'context' | 'user_hint';

  /** Any JSON but null: at most 16,000 characters of text and 16,384 bytes. */
  @IsDefined()
  value!: Json;

  /** Ticks to live; the snapshot's default where absent. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  ttl_ticks?: number;
}

/** POST /brainstate/tick. */
export class TickDto {
  @IsString()
  @Matches(HASH)
  brainstate_snapshot_id!: string;

  /** Of WM_INSERT, COUNCIL_DECISION and FEEDBACK_GIVEN; none for a tick in which nothing happens. */
  @IsArray()
  @ArrayMaxSize(MAX_EVENTS)
  @IsString({ each: true })
  @Matches(HASH, { each: true })
  event_ids!: string[];
}

/** POST /brainstate/query. */
export class QueryBrainStateDto {
  @IsString()
  @Matches(HASH)
  brainstate_snapshot_id!: string;
}

/** GET /brainstate/{snapshot_id}. */
export class ReadBrainStateQuery extends UnredactedQuery {
  /** A position of the log. */
  @IsOptional()
  @IsString()
  @Matches(/^(0|[1-9][0-9]{0,19})$/)
  as_of?: string;
}

/** GET /brainstate. */
export class ListBrainStatesQuery extends PageQuery {
  /** Only those of this person, by the normal form of the name, such as `user_tuff`. */
  @IsOptional()
  @IsString()
  @MaxLength(256)
  user_id?: string;

  /** Only that of this job. */
  @IsOptional()
  @IsString()
  @Matches(/^job:[0-9a-f]{32}$/)
  job_id?: string;
}
