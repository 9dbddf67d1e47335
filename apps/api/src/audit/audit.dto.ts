import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';

import { AUDIT_KINDS, type AuditKind } from '#lib/audit';

import { PageQuery, UnredactedPageQuery } from '../edge/index.js';

class StoredPageQuery extends UnredactedPageQuery {
  /** stored: each event with its signed text in `canonical`. */
  @IsOptional()
  @IsIn(['stored'])
  form?: 'stored';
}

/** GET /audit/streams/{stream}. */
export class AuditStreamQuery extends StoredPageQuery {
  /** Only from this revision of the stream on. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(999_999_999)
  from_revision?: number;
}

/** GET /audit/events. */
export class AuditEventsQuery extends StoredPageQuery {
  /** Only of this stream. */
  @IsOptional()
  @IsString()
  @MaxLength(300)
  stream?: string;

  /** Only of this type. */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  type?: string;

  /** Only what this event caused, in whatever stream. A page may have fewer events than there are: it goes on. */
  @IsOptional()
  @Matches(/^[0-9a-f]{64}$/)
  causation_id?: string;

  /** Only from this position of the log on. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  from?: number;
}

/** GET /audit/trail. */
export class AuditTrailQuery extends PageQuery {
  @IsOptional()
  @IsIn(AUDIT_KINDS)
  kind?: AuditKind;

  /** Only of this type of events. */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  type?: string;

  /** Only what this principal did, by the normal form of its name, such as `user_tuff`. */
  @IsOptional()
  @IsString()
  @MaxLength(256)
  actor?: string;
}
