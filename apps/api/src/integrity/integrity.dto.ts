import { IsBoolean, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';

/** POST /integrity/verify. */
export class VerifyIntegrityDto {
  /** The one stream to check; the whole log where absent. */
  @IsOptional()
  @IsString()
  @Matches(/^[A-Za-z0-9._:/-]{1,300}$/)
  stream?: string;

  /** Threads that check; 1 where absent. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(8)
  workers?: number;

  /** Goes on with the walk that a stopped process left. */
  @IsOptional()
  @IsBoolean()
  resume?: boolean;

  /** Most events a second; no limit where absent. */
  @IsOptional()
  @IsInt()
  @Min(100)
  @Max(10_000_000)
  max_rate?: number;
}
