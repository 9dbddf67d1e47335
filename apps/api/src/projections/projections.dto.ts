import { IsOptional, IsString, MaxLength, MinLength } from 'class-validator';

/** What an operator orders of a projection's generations. */
export class BecauseDto {
  /** Why, for the record; what is personal in it is redacted. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(1000)
  reason?: string;
}
