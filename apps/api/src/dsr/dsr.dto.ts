import { IsIn, IsObject, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';

import { DSR_STATUSES, type DsrKind, type DsrStatus } from '#lib/dsr';
import type { JsonObject } from '#lib/kernel';

import { PageQuery } from '../edge/index.js';

/** GET /dsr. */
export class ListDsrQuery extends PageQuery {
  /** How they stand. */
  @IsOptional()
  @IsIn(DSR_STATUSES)
  state?: DsrStatus;
}

/** POST /dsr/{dsr_id}/refuse. */
export class RefuseDsrDto {
  /** What the person is told; without personal data. */
  @IsString()
  @MinLength(1)
  @MaxLength(1000)
  reason!: string;
}

/** POST /dsr/holds/{hold_id}/lift. */
export class LiftHoldDto {
  /** Why it is no longer needed; without personal data. */
  @IsString()
  @MinLength(1)
  @MaxLength(1000)
  reason!: string;
}

/** POST /dsr/request. */
export class FileDsrDto {
  /** A package of what is recorded, or its deletion. */
  @IsIn(['export', 'delete'])
  kind!: DsrKind;

  /** Whose data it is. */
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  user_id!: string;

  /** `{otp}`: the person's own one-time code; an admin for another: `{document_ref, reason}`. */
  @IsObject()
  identity_proof!: JsonObject;
}

/** POST /dsr/holds. */
export class PlaceHoldDto {
  /** As the event names the evidence that it left. */
  @IsString()
  @MaxLength(64)
  evidence_ref!: string;

  /** Which law or court asks for it; without personal data. */
  @IsString()
  @MinLength(1)
  @MaxLength(1000)
  reason!: string;
}
