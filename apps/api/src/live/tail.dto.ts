import { IsBoolean, IsOptional, IsString, Matches, MaxLength } from 'class-validator';

/** GET /events/tail. */
export class TailQuery {
  /** Only of these types: up to 32 names with commas between them. */
  @IsOptional()
  @Matches(/^[A-Za-z0-9_]{1,64}(?:,[A-Za-z0-9_]{1,64}){0,31}$/)
  types?: string;

  /** Only of this stream. */
  @IsOptional()
  @IsString()
  @MaxLength(300)
  stream?: string;

  /** The id of the last event that was read, for who cannot send Last-Event-ID. */
  @IsOptional()
  @IsString()
  @MaxLength(40)
  last_event_id?: string;

  /** false: the stream ends once everything was sent that was there when it began. */
  @IsOptional()
  @IsBoolean()
  follow?: boolean;
}
