import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import {
  Authenticator,
  ELEVATION_MAX_AGE_S,
  ElevationRequiredError,
  hasRole,
  type OtpEnrolment,
  type OtpInvitation,
  Principals,
  requireElevated,
  RevocationList,
  type Role,
  SecondFactors,
  type SteppedUp,
  StepUp,
  type CommandContext,
  type TokenClaims,
} from '#lib/access';
import { MaceError } from '#lib/kernel';

import { Ctx, Doc, Permission } from '../edge/index.js';
import { EnrolDto, RevokeDto, StepUpDto, UserDto } from './auth.dto.js';

const TOKEN = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';

const INVITATION = {
  user_id: 'user_tuff',
  invitation: '5c9cb3d7-9acd5c16-275ab0a2-0925e6c7',
  expires_at: '2026-11-21T12:15:00.000Z',
};

const FIRST_OR_ELEVATED =
  'this needs a token elevated by a second factor; the first time `invitation`, the code that an admin gave you';

interface Session {
  readonly user_id: string;
  readonly roles: readonly Role[];
  readonly elevated: boolean;
  readonly elevated_until: string | null;
  readonly expires_at: string | null;
}

/** @param seconds since the Unix epoch */
const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Tokens and second factors of those who ask; spec/privacy.md, "Who may do what". */
@Controller('auth')
export class AuthController {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly principals: Principals,
    private readonly revocations: RevocationList,
    private readonly factors: SecondFactors,
    private readonly stepUp: StepUp,
  ) {}

  @Get('session')
  @Permission('auth.session')
  @Doc({
    summary: 'Who the token says you are, what you may be, and until when',
    description:
      '`elevated_until` is when the second factor stops counting. Of a request through the data folder `expires_at` is null.',
    answer: {
      user_id: 'user_ada',
      roles: ['admin', 'auditor'],
      elevated: true,
      elevated_until: '2026-11-21T12:05:00.000Z',
      expires_at: '2026-11-21T13:00:00.000Z',
    },
    forms: { elevated_until: { type: ['string', 'null'] }, expires_at: { type: ['string', 'null'] } },
  })
  async session(@Ctx() { principal }: CommandContext, @Req() request: FastifyRequest): Promise<Session> {
    const claims = await this.claimsInHand(request);
    const { id, roles, elevated } = principal;
    const factorEnd = (claims?.secondFactorAt ?? 0) + ELEVATION_MAX_AGE_S;
    return {
      user_id: id,
      roles,
      elevated,
      elevated_until: elevated && claims ? timeOf(Math.min(factorEnd, claims.expiresAt)) : null,
      expires_at: claims ? timeOf(claims.expiresAt) : null,
    };
  }

  @Post('step-up')
  @HttpCode(200)
  @Permission('auth.step-up')
  @Doc({
    summary: 'Trades the token and a one-time code for an elevated token',
    description:
      'The elevated token has the same roles, and lives for 300 seconds at most. A code works once; wrong, used and not enrolled are one answer. Five wrong codes lock this for fifteen minutes. No Idempotency-Key makes a code work twice.',
    request: { otp: '492039' },
    answer: { access_token: TOKEN, expires_in: 300 },
    errors: ['RATE_LIMITED'],
  })
  async elevate(
    @Ctx() ctx: CommandContext,
    @Req() request: FastifyRequest,
    @Body() { otp }: StepUpDto,
  ): Promise<SteppedUp> {
    if (request.mace.byCookie)
      throw new MaceError('PERMISSION_DENIED', 'a browser gets no token to read: POST /console/session/step-up');
    const claims = await this.claimsInHand(request);
    if (!claims) throw new MaceError('UNAUTHENTICATED', 'Authorization: Bearer and the token that is to be traded');
    return this.stepUp.trade(claims, ctx.principal.id, otp, ctx.now);
  }

  @Post('otp/enrol')
  @HttpCode(200)
  @Permission('auth.enrol')
  @Doc({
    summary: 'Draws a new secret for one’s one-time codes',
    description:
      'With an elevated token it replaces the one before. The first time an admin gives you a code (`POST /auth/otp/invite`), unless an issuer vouches for the second factor or `mace otp enrol` drew it on the data folder. The secret is shown once; each request draws another, under one Idempotency-Key too. A wrong code counts as a wrong one-time code.',
    request: { invitation: INVITATION.invitation },
    answer: {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      uri: 'otpauth://totp/MACE:user_ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=MACE',
    },
    errors: ['RATE_LIMITED'],
  })
  enrol(@Ctx() { principal, now }: CommandContext, @Body() { invitation }: EnrolDto): Promise<OtpEnrolment> {
    if (invitation !== undefined) return this.factors.enrolByInvitation(principal.id, invitation, now);
    if (!principal.elevated) throw new ElevationRequiredError(FIRST_OR_ELEVATED);
    return this.factors.enrol(principal.id, now);
  }

  @Post('otp/invite')
  @HttpCode(200)
  @Permission('auth.invite')
  @Doc({
    summary: 'Draws a code with which a person enrols a second factor for the first time',
    description:
      'For an elevated admin, who gives it to the person by another way. It works once, within 15 minutes, with the person’s own token, and is shown once; only its hash is recorded. Another one voids it. Under one Idempotency-Key each request draws another, too.',
    request: { user_id: 'tuff' },
    answer: INVITATION,
    errors: ['CONFLICT', 'PRIVACY_BLOCKED'],
  })
  async invite(@Ctx() { actor, now }: CommandContext, @Body() { user_id: userId }: UserDto): Promise<OtpInvitation> {
    return this.factors.invite(await this.principals.ensure(userId, 'user'), actor, now);
  }

  @Post('revoke')
  @HttpCode(200)
  @Permission('auth.revoke')
  @Doc({
    summary: 'Revokes a token, at once and for good',
    description:
      'One’s own by itself or by its jti; another’s with an elevated admin token. An elevated admin’s jti is void whoever holds it. What a step-up traded the token for is revoked with it. Where the log has no room or does not answer, `meta.revocation` of the refusal says that it holds in this process alone and is not stored: repeat it until the answer is 200.',
    request: { jti: '7e21cbd8-f1d5-4b7f-9fec-bbf9b71ce619' },
    answer: { revoked: true },
  })
  async revoke(
    @Ctx() ctx: CommandContext,
    @Req() request: FastifyRequest,
    @Body() { token, jti }: RevokeDto,
  ): Promise<{ revoked: true }> {
    if ((token === undefined) === (jti === undefined)) {
      throw new MaceError('INVALID_INPUT', 'body: {"token": ...} or {"jti": ...}');
    }
    if (token === undefined) await this.revokeJti(ctx, jti!, await this.claimsInHand(request));
    else await this.revokeToken(ctx, token);
    return { revoked: true };
  }

  private async revokeToken({ principal, actor, now }: CommandContext, token: string): Promise<void> {
    const { userId, jti, expiresAt } = await this.shown(token, now);
    const owner = await this.principals.ensure(userId, 'user');
    if (owner !== principal.id) requireAdmin(principal, 'the token is another’s');
    await this.revocations.revoke({ jti, owner, expiresAt, actor, now });
  }

  /** An admin's jti may be anybody's: without a second factor an admin revokes the token in hand only. */
  private async revokeJti({ principal, actor, now }: CommandContext, jti: string, inHand?: TokenClaims): Promise<void> {
    const isInHand = inHand?.jti === jti;
    const isAdmin = hasRole(principal, 'admin');
    if (isAdmin && !isInHand) requireElevated(principal);
    const owner = isAdmin && !isInHand ? null : principal.id;
    await this.revocations.revoke({ jti, owner, expiresAt: isInHand ? inHand.expiresAt : undefined, actor, now });
  }

  /** @throws MaceError INVALID_INPUT: whose own token is fine, and the one shown is not, is not unauthenticated */
  private async shown(token: string, now: number): Promise<TokenClaims> {
    try {
      return await this.authenticator.claimsOf(token, now);
    } catch (error) {
      if (!(error instanceof MaceError) || error.code !== 'UNAUTHENTICATED') throw error;
      throw new MaceError('INVALID_INPUT', `body.token: no token that is taken here (${error.developerMessage})`);
    }
  }

  private async claimsInHand({ mace }: FastifyRequest): Promise<TokenClaims | undefined> {
    return mace.token === undefined ? undefined : this.authenticator.claimsOf(mace.token, mace.now);
  }
}

function requireAdmin(principal: CommandContext['principal'], why: string): void {
  if (!hasRole(principal, 'admin')) throw new MaceError('PERMISSION_DENIED', `${why}: for an elevated admin`);
  requireElevated(principal);
}
