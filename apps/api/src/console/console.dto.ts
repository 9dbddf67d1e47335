import { IsString, Matches, MaxLength, MinLength } from 'class-validator';

export class LinkDto {
  /** An access token of who will follow the link. */
  @IsString()
  @MinLength(1)
  @MaxLength(4096)
  token!: string;
}

export class CodeDto {
  /** The code of a link: 43 characters of base64url. */
  @IsString()
  @Matches(/^[A-Za-z0-9_-]{43}$/)
  code!: string;
}
