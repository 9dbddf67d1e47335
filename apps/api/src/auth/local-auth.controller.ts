import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';

import { type CommandContext, type OtpEnrolment, Principals, RevocationList, SecondFactors } from '#lib/access';
import { MaceError } from '#lib/kernel';

import { Ctx, Doc, Permission } from '../edge/index.js';
import type { Config } from '../platform.config.js';
import { CONFIG } from '../platform.tokens.js';
import { OneTimeCodeDto, UserDto } from './auth.dto.js';

const REFUSED_WHERE = 'Refused in production, and where an issuer of tokens is named:';

/** What the command line on the data folder does with people's tokens and second factors; nobody else reaches it. */
@Controller('local')
export class LocalAuthController {
  constructor(
    private readonly principals: Principals,
    private readonly revocations: RevocationList,
    private readonly factors: SecondFactors,
    @Inject(CONFIG) private readonly config: Pick<Config, 'mode' | 'jwksUrl'>,
  ) {}

  /** Registers a person, so that a token that nobody could use is never printed. */
  @Post('principals')
  @Permission('principals.register')
  @Doc({
    summary: 'Registers a person whose token is to be printed; through the socket in the data folder only',
    description: `${REFUSED_WHERE} people are then registered by their first request.`,
    request: { user_id: 'tuff' },
    answer: { user_id: 'user_tuff' },
  })
  async register(@Body() { user_id: userId }: UserDto): Promise<{ user_id: string }> {
    this.refuseWhereIssued('tokens come from it; nobody is registered for one here');
    return { user_id: await this.principals.ensure(userId, 'user') };
  }

  @Post('otp/enrol')
  @HttpCode(200)
  @Permission('principals.enrol')
  @Doc({
    summary: 'Draws a new secret for a person’s one-time codes; through the socket in the data folder only',
    description: `${REFUSED_WHERE} second factors are then the issuer’s.`,
    request: { user_id: 'tuff' },
    answer: {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      uri: 'otpauth://totp/MACE:user_tuff?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=MACE',
    },
  })
  async enrol(@Ctx() { now }: CommandContext, @Body() { user_id: userId }: UserDto): Promise<OtpEnrolment> {
    this.refuseWhereIssued('second factors come from it; no code is enrolled here');
    return this.factors.enrol(await this.principals.ensure(userId, 'user'), now);
  }

  @Post('otp/verify')
  @HttpCode(200)
  @Permission('principals.enrol')
  @Doc({
    summary: 'Takes a person’s one-time code; through the socket in the data folder only',
    description: `${REFUSED_WHERE} what an elevated token shows is then the issuer’s to say.`,
    request: { user_id: 'tuff', otp: '492039' },
    answer: { user_id: 'user_tuff' },
    errors: ['RATE_LIMITED'],
  })
  async verify(
    @Ctx() { now }: CommandContext,
    @Body() { user_id: userId, otp }: OneTimeCodeDto,
  ): Promise<{ user_id: string }> {
    this.refuseWhereIssued('elevated tokens come from it; no code is taken here');
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

  /** Only what leads to a token, or to more rights; who holds the folder may always take rights away. */
  private refuseWhereIssued(instead: string): void {
    const { mode, jwksUrl } = this.config;
    if (mode !== 'production' && jwksUrl === undefined) return;
    throw new MaceError('PERMISSION_DENIED', `in production, and where MACE_JWKS_URL names an issuer, ${instead}`);
  }
}
