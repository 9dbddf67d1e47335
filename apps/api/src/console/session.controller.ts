import type { AddressInfo } from 'node:net';

import { Body, Controller, Delete, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Authenticator, type CommandContext, RevocationList, type SignInLink, SignInLinks, StepUp } from '#lib/access';
import { MaceError } from '#lib/kernel';

import { StepUpDto } from '../auth/auth.dto.js';
import { Ctx, Doc, Permission, Public } from '../edge/index.js';
import {
  cookieIn,
  type CookiePlace,
  cookieWith,
  cookieWithout,
  ELEVATED_COOKIE,
  SESSION_COOKIE,
} from '../edge/session-cookie.js';
import type { Config } from '../platform.config.js';
import { CONFIG } from '../platform.tokens.js';
import { CodeDto, LinkDto } from './console.dto.js';
import { linkWith, placeOf, publicUrlOf } from './public-place.js';
import { beginSession } from './session-begin.js';

const CODE = 'Zk3vS0m8n1qk0rY1b2h6u0Yk1x0q3JwQ7cP4m9t5a2E';

interface Expiring {
  /** Seconds. */
  readonly expires_in: number;
}

/** The session of the console in a browser: a cookie in place of a token (docs/console.md). */
@Controller()
export class SessionController {
  private readonly place: CookiePlace;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly links: SignInLinks,
    private readonly revocations: RevocationList,
    private readonly stepUp: StepUp,
    @Inject(CONFIG) private readonly config: Pick<Config, 'publicUrl' | 'host' | 'port'>,
  ) {
    this.place = placeOf(config);
  }

  @Post('local/sign-in-links')
  @HttpCode(200)
  @Permission('sign-in.link')
  @Doc({
    summary: 'A code with which a browser signs in to the console; through the socket in the data folder only',
    description:
      'The code stands after the # of `url`. It works once, within 60 seconds, at this process. The session is that of the token, and ends with it.',
    request: { token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl' },
    answer: { code: CODE, url: `http://127.0.0.1:3000/console#link=${CODE}`, expires_in: 60 },
  })
  async link(
    @Ctx() { now }: CommandContext,
    @Req() { server }: FastifyRequest,
    @Body() { token }: LinkDto,
  ): Promise<SignInLink & { readonly url: string }> {
    await this.authenticator.authenticate(token, now);
    const { code, expires_in } = this.links.add(token, now);
    return {
      code,
      url: linkWith(code, publicUrlOf(this.config, server.server.address() as AddressInfo | null)),
      expires_in,
    };
  }

  @Post('console/session')
  @HttpCode(200)
  @Public()
  @Doc({
    summary: 'Signs a browser in by the code of a link: the session is a cookie that no script can read',
    description:
      'A code works once, within 60 seconds; `mace console` prints a link with one. The cookie ends with the token behind it, and is taken with requests of the console’s own pages alone.',
    request: { code: CODE },
    answer: { expires_in: 3600 },
    errors: ['UNAUTHENTICATED', 'RATE_LIMITED'],
  })
  async begin(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() { code }: CodeDto,
  ): Promise<Expiring> {
    const { now } = request.mace;
    const { cookies, seconds } = await beginSession(this.authenticator, this.links.follow(code, now), now, this.place);
    void reply.header('set-cookie', cookies);
    return { expires_in: seconds };
  }

  @Post('console/session/step-up')
  @HttpCode(200)
  @Permission('auth.step-up')
  @Doc({
    summary: 'Elevates the session of a browser by a one-time code',
    description:
      'As POST /auth/step-up, but the elevated token becomes a cookie that no script can read. It ends after 300 seconds, and the session goes on without it.',
    request: { otp: '492039' },
    answer: { expires_in: 300 },
    errors: ['RATE_LIMITED'],
  })
  async elevate(
    @Ctx() { principal, now }: CommandContext,
    @Req() { headers, mace }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() { otp }: StepUpDto,
  ): Promise<Expiring> {
    // That of the session: an elevated one, traded, would end when it does.
    const token = cookieIn(headers.cookie ?? '', SESSION_COOKIE) ?? mace.token;
    const claims = token === undefined ? undefined : await this.authenticator.claimsOf(token, now);
    if (!claims) throw new MaceError('UNAUTHENTICATED', 'the cookie of a session, which is to be elevated');
    const { access_token: elevated, expires_in } = await this.stepUp.trade(claims, principal.id, otp, now);
    void reply.header('set-cookie', cookieWith(ELEVATED_COOKIE, elevated, expires_in, this.place));
    return { expires_in };
  }

  @Delete('console/session')
  @Permission('auth.revoke')
  @Doc({
    summary: 'Signs a browser out: its token is revoked, and its cookies are taken away',
    answer: { revoked: true },
  })
  async end(
    @Ctx() { principal, actor, now }: CommandContext,
    @Req() { mace: { token } }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ revoked: true }> {
    const claims = token === undefined ? undefined : await this.authenticator.claimsOf(token, now);
    if (!claims) throw new MaceError('UNAUTHENTICATED', 'the cookie of the session that is to end');
    const { jti, sourceJti, expiresAt } = claims;
    // With the token that was traded for it an elevated one is void too.
    const end = sourceJti === undefined ? expiresAt : undefined;
    // First, so that they go where the revocation is refused too.
    void reply.header('set-cookie', [
      cookieWithout(ELEVATED_COOKIE, this.place),
      cookieWithout(SESSION_COOKIE, this.place),
    ]);
    await this.revocations.revoke({ jti: sourceJti ?? jti, owner: principal.id, expiresAt: end, actor, now });
    return { revoked: true };
  }
}
