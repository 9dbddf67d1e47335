import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';

import { CATEGORY_OF, CONSENT_SCOPES, type ConsentScope, MAX_TTL_SECONDS, MIN_TTL_SECONDS } from '#lib/privacy';

/** POST /consents. */
export class GrantConsentDto {
  @IsIn(Object.keys(CATEGORY_OF))
  pii_type!: string;

  /** `job`: one job, or one direct write; `persistent`: every write for a time. */
  @IsIn(CONSENT_SCOPES)
  scope!: ConsentScope;

  /** Of scope persistent; as long as the privacy policy says where absent, 30 days unless it was changed. */
  @IsOptional()
  @IsInt()
  @Min(MIN_TTL_SECONDS)
  @Max(MAX_TTL_SECONDS)
  ttl_seconds?: number;

  /** What you agree to, in words and without the value itself. */
  @IsString()
  @MinLength(1)
  @MaxLength(4000)
  consent_text!: string;

  /** Of scope job: of the job that it is for. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  job_seed?: string;

  /** Of scope job: the Idempotency-Key that the direct write will carry. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  idempotency_key?: string;
}

/** POST /consents/record. */
export class RecordConsentDto {
  /** Who gave it. */
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  user_id!: string;

  @IsIn(Object.keys(CATEGORY_OF))
  pii_type!: string;

  /** Where it was given: your reference to the document, of A-Za-z0-9._:- */
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  document_ref!: string;

  /** What was agreed to and how you made sure of it; without personal data. The person reads it. */
  @IsString()
  @MinLength(1)
  @MaxLength(1000)
  reason!: string;
}

/** POST /consents/{consent_id}/revoke takes {}. */
export class RevokeConsentDto {}

/** POST /pii/detect_and_handle. */
export class HandleTextDto {
  /** At most 16,000 characters. */
  @IsString()
  text!: string;

  /** Whether it is to be stored for good. */
  @IsOptional()
  @IsBoolean()
  persist?: boolean;

  /** Of the job in which it would be: your consents for it count, and where it is a job of yours, hashes are of its seed. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  job_seed?: string;
}
