import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

import { UnredactedPageQuery } from '../edge/index.js';

/** GET /audit/streams/{stream}. */
export class AuditStreamQuery extends UnredactedPageQuery {
  /** stored: each event with its signed text in `canonical`. */
  @IsOptional()
  @IsIn(['stored'])
  form?: 'stored';
}

/** GET /audit/events. */
export class AuditEventsQuery extends AuditStreamQuery {
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

  /** Only from this position of the log on. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  from?: number;
}
