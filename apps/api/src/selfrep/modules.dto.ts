import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
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

import type { JsonObject } from '#lib/kernel';
import {
  APT_EVENT_TYPES,
  type AptEventType,
  FAILURE_TYPES,
  type FailureType,
  MODULE_STATUSES,
  MODULE_TYPES,
  type ModuleStatus,
  type ModuleType,
} from '#lib/selfrep';

import { PageQuery } from '../edge/index.js';

const MAX_LISTED = 64;

export class DependencyDto {
  /** node_id of the other module, which may register later. */
  @IsString()
  @MaxLength(80)
  to!: string;

  @IsBoolean()
  required!: boolean;
}

export class PolicyDto {
  /** Empty allows all that is not forbidden. */
  @IsArray()
  @ArrayMaxSize(MAX_LISTED)
  @IsString({ each: true })
  allowed_actions!: string[];

  @IsArray()
  @ArrayMaxSize(MAX_LISTED)
  @IsString({ each: true })
  forbidden_actions!: string[];
}

export class EndpointDto {
  /** `http`: one JSON request a turn; `a2a`: Agent2Agent 1.0, found by its agent card (docs/agents.md). */
  @IsIn(['http', 'a2a'])
  kind!: 'http' | 'a2a';

  /** http or https, of a host that MACE_AGENT_HOSTS lists; of an agent by A2A that of its card, or of its origin. */
  @IsString()
  @MaxLength(2048)
  url!: string;

  /** Variable of the server's environment that holds what is sent as a bearer token. */
  @IsOptional()
  @IsString()
  @MaxLength(80)
  secret_ref?: string;

  /** By which it signs its answers: Ed25519, 32 bytes in base64url. An answer that is not signed so is refused. */
  @IsOptional()
  @IsString()
  @MaxLength(43)
  public_key?: string;
}

export class PromptDto {
  /** What the language engine is told of its task. */
  @IsString()
  @MinLength(1)
  @MaxLength(8000)
  system!: string;

  /** `model` of an entry of MACE_LLM_PROVIDERS; where absent, all of them in their order. */
  @IsOptional()
  @IsString()
  @MaxLength(128)
  model?: string;

  /** Of an answer, where that is less than the budget of the turn. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(32768)
  max_tokens?: number;
}

/** POST /module/register. */
export class RegisterModuleDto {
  /** `type:name`, such as agent:math_v2. */
  @IsString()
  @MaxLength(80)
  node_id!: string;

  @IsIn(MODULE_TYPES)
  type!: ModuleType;

  @IsString()
  @MinLength(1)
  @MaxLength(120)
  display_name!: string;

  @IsString()
  @MaxLength(40)
  version!: string;

  /** By the name of node_id where absent. */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  agent_id?: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_LISTED)
  @IsString({ each: true })
  capabilities?: string[];

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_LISTED)
  @ValidateNested({ each: true })
  @Type(() => DependencyDto)
  dependencies?: DependencyDto[];

  /** Where absent it may not write to memory. */
  @IsOptional()
  @ValidateNested()
  @Type(() => PolicyDto)
  policy?: PolicyDto;

  /** Where an agent answers that runs elsewhere: the council is asked before. */
  @IsOptional()
  @ValidateNested()
  @Type(() => EndpointDto)
  endpoint?: EndpointDto;

  /** What makes a language engine answer as it: the council is asked before. */
  @IsOptional()
  @ValidateNested()
  @Type(() => PromptDto)
  prompt?: PromptDto;
}

/** POST /module/quarantine. */
export class QuarantineDto {
  @IsString()
  @MaxLength(80)
  node_id!: string;

  @IsString()
  @MinLength(1)
  @MaxLength(512)
  reason!: string;
}

/** POST /modules/{node_id}/restore. */
export class RestoreDto {
  @IsOptional()
  @IsString()
  @MaxLength(512)
  reason?: string;
}

/** GET /modules. */
export class ListModulesQuery extends PageQuery {
  @IsOptional()
  @IsIn(MODULE_TYPES)
  type?: ModuleType;

  @IsOptional()
  @IsIn(MODULE_STATUSES)
  status?: ModuleStatus;
}

/** GET /modules/{node_id}. */
export class GetModuleQuery {
  /** A position of the log. */
  @IsOptional()
  @IsString()
  @Matches(/^(0|[1-9][0-9]{0,19})$/)
  as_of?: string;
}

/** POST /apt/event. */
export class AptEventDto {
  @IsString()
  @MaxLength(80)
  node_id!: string;

  @IsIn(APT_EVENT_TYPES)
  event_type!: AptEventType;

  /** As the type takes it: {approve}, {correct}, {new_apt, reason}, {note}, {upvote, comment}. */
  @IsOptional()
  @IsObject()
  payload?: JsonObject;
}

/** POST /apt/recompute. */
export class RecomputeDto {
  @IsString()
  @MaxLength(80)
  node_id!: string;
}

/** POST /events/failure. */
export class FailureDto {
  @IsIn(FAILURE_TYPES)
  event_type!: FailureType;

  /** The module; SECURITY_INCIDENT and INTEGRITY_FAILURE may come without one. */
  @IsOptional()
  @IsString()
  @MaxLength(80)
  node_id?: string;

  @IsOptional()
  @IsString()
  @MaxLength(80)
  job_id?: string;

  /** Evidence: kept apart, and readable by those who investigate alone. */
  @IsOptional()
  @IsObject()
  details?: JsonObject;
}
