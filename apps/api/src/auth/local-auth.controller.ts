import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';

import { type CommandContext, type OtpEnrolment, Principals, RevocationList, SecondFactors } from '#lib/access';
import { MaceError } from '#lib/kernel';

import { Ctx, Doc, Permission } from '../edge/index.js';
import type { Config } from '../platform.config.js';
import { CONFIG } from '../platform.tokens.js';
import { OneTimeCodeDto, UserDto } from './auth.dto.js';

/** What the command line on the data folder does with people's tokens and second factors; nobody else reaches it. */
@Controller('local')
export class LocalAuthController {
  constructor(
    private readonly principals: Principals,
    private readonly revocations: RevocationList,
    private readonly factors: SecondFactors,
    @Inject(CONFIG) private readonly config: Pick<Config, 'mode' | 'jwksUrl'>,
  ) {}

  @Post('otp/enrol')
  @HttpCode(200)
  @Permission('principals.enrol')
  @Doc({
    summary: 'Draws a new secret for a person’s one-time codes; through the socket in the data folder only',
    description: 'Refused in production, and where an issuer of tokens is named: second factors are then the issuer’s.',
    request: { user_id: 'tuff' },
    answer: {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      uri: 'otpauth://totp/MACE:user_tuff?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=MACE',
    },
  })
  async enrol(@Ctx() { now }: CommandContext, @Body() { user_id: userId }: UserDto): Promise<OtpEnrolment> {
    const { mode, jwksUrl } = this.config;
    if (mode === 'production' || jwksUrl !== undefined) {
      throw new MaceError(
        'PERMISSION_DENIED',
        'in production, and where MACE_JWKS_URL names an issuer, second factors come from it; no code is enrolled here',
      );
    }
    return this.factors.enrol(await this.principals.ensure(userId, 'user'), now);
  }

  @Post('otp/verify')
  @HttpCode(200)
  @Permission('principals.enrol')
  @Doc({
    summary: 'Takes a person’s one-time code; through the socket in the data folder only',
    request: { user_id: 'tuff', otp: '492039' },
    answer: { user_id: 'user_tuff' },
    errors: ['RATE_LIMITED'],
  })
  async verify(
    @Ctx() { now }: CommandContext,
    @Body() { user_id: userId, otp }: OneTimeCodeDto,
  ): Promise<{ user_id: string }> {
    const id = await this.principals.ensure(userId, 'user');
    await this.factors.verifyOneTimeCode(id, otp, now);
    return { user_id: id };
  }

  @Post('principals/remove')
  @HttpCode(200)
  @Permission('principals.remove')
  @Doc({
    summary: 'Voids every token that a person has; through the socket in the data folder only',
    description: 'A token issued later brings the person back.',
    request: { user_id: 'tuff' },
    answer: { user_id: 'user_tuff' },
  })
  async remove(
    @Ctx() { actor, now }: CommandContext,
    @Body() { user_id: userId }: UserDto,
  ): Promise<{ user_id: string }> {
    const id = await this.principals.ensure(userId, 'user');
    await this.revocations.removePrincipal(id, actor, now);
    return { user_id: id };
  }
}
