import { IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';

/** What an operator orders of a projection. */
export class BecauseDto {
  /** Why, for the record; what is personal in it is redacted. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(1000)
  reason?: string;
}

/** POST /projections/{name}/parked/{position}/skip. */
export class SkipDto extends BecauseDto {
  /** The event_id of the one event that is passed over: 64 lower-case hex digits. */
  @Matches(/^[0-9a-f]{64}$/)
  event_id!: string;
}
