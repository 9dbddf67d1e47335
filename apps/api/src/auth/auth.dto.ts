import { IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';

export class StepUpDto {
  /** What the authenticator shows now. */
  @IsString()
  @Matches(/^[0-9]{6}$/)
  otp!: string;
}

/** POST /auth/otp/enrol: nothing with an elevated token. */
export class EnrolDto {
  /** The code that an admin gave you, for the first time. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(64)
  invitation?: string;
}

/** Either of the two. */
export class RevokeDto {
  /** The token itself. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(4096)
  token?: string;

  /** The token’s `jti` claim. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(256)
  jti?: string;
}

export class UserDto {
  /** As the token carries it. */
  @IsString()
  @MinLength(1)
  @MaxLength(256)
  user_id!: string;
}

export class OneTimeCodeDto extends UserDto {
  @IsString()
  @Matches(/^[0-9]{6}$/)
  otp!: string;
}
