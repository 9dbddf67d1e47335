import { IsDefined, IsObject, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';

import type { Json, JsonObject } from '#lib/kernel';

import { PageQuery } from '../edge/index.js';

/** PUT /sem/{scope}/{entity_type}/{entity_id}/{attribute}. */
export class PutValueDto {
  /** Any JSON but null: at most 16,000 characters of text and 16,384 bytes. */
  @IsDefined()
  value!: Json;

  /** Fixed by who writes; an admin may name another. */
  @IsOptional()
  @IsString()
  @MaxLength(80)
  source?: string;

  /** ISO 8601 in UTC; the server's time where absent. */
  @IsOptional()
  @IsString()
  @MaxLength(40)
  timestamp?: string;

  @IsOptional()
  @IsString()
  @MaxLength(512)
  notes?: string;

  /** Yours, but for `trust` (0 to 1, or null), `provenance_id` (a log_id, amendment_id or job_id) and `artifact_url` (https). */
  @IsOptional()
  @IsObject()
  meta?: JsonObject;
}

/** GET /sem/{scope}/{entity_type}/{entity_id}/{attribute}. */
export class GetValueQuery {
  /** A position of the log, such as the one a PUT answers with. */
  @IsOptional()
  @IsString()
  @Matches(/^(0|[1-9][0-9]{0,19})$/)
  as_of?: string;
}

/** GET /sem. */
export class ListKeysQuery extends PageQuery {
  /** What the keys begin with; every key where absent. */
  @IsOptional()
  @IsString()
  @MaxLength(256)
  prefix?: string;
}

/** GET /sem/resolve. */
export class ResolveQuery {
  @IsString()
  @MinLength(1)
  @MaxLength(8000)
  text!: string;
}

/** POST /sem/keys. */
export class RegisterKeyDto {
  @IsString()
  @MinLength(1)
  @MaxLength(64)
  scope!: string;

  @IsString()
  @MinLength(1)
  @MaxLength(8000)
  entity_type!: string;

  @IsOptional()
  @IsString()
  @MaxLength(8000)
  entity_id_raw?: string;

  @IsString()
  @MinLength(1)
  @MaxLength(8000)
  attribute_raw!: string;

  @IsOptional()
  @IsString()
  @MaxLength(256)
  user_id?: string;
}
