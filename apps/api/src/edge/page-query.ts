import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

/** Query parameters of every list: extend it where a list takes more. */
export class PageQuery {
  /** How many items at most. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(200)
  limit?: number;

  /** `next_cursor` of the page before. */
  @IsOptional()
  @IsString()
  @MaxLength(512)
  cursor?: string;
}
