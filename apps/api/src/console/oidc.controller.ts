import { Controller, Get, Inject, Query, Req, Res, SetMetadata } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Authenticator, ROLES } from '#lib/access';
import { MaceError } from '#lib/kernel';

import { Public } from '../edge/index.js';
import { type CookiePlace, cookieIn, OIDC_COOKIE, oidcCookie } from '../edge/session-cookie.js';
import type { Config } from '../platform.config.js';
import { CONFIG } from '../platform.tokens.js';
import { IssuerSignIn, SIGN_IN_S } from './issuer-sign-in.js';
import { placeOf } from './public-place.js';
import { beginSession } from './session-begin.js';

type Needed = 'publicUrl' | 'oidc' | 'jwtIssuer' | 'jwtAudience';

/** Percent-encoded, so that a cookie can hold it. */
const MAX_PATH = 2048;

/** Signing in to the console by an issuer; its links are followed by browsers, and are no operations of the interface. */
@Controller('console/oidc')
export class OidcController {
  private readonly place: CookiePlace;
  private readonly issuer: IssuerSignIn | undefined;

  constructor(
    private readonly authenticator: Authenticator,
    @Inject(CONFIG) private readonly config: Pick<Config, Needed>,
  ) {
    const { oidc, publicUrl, jwtAudience } = config;
    this.place = placeOf(config);
    this.issuer = oidc && publicUrl && new IssuerSignIn(oidc, publicUrl, jwtAudience);
  }

  @Get('start')
  @Public({ forBrowser: true })
  @SetMetadata('swagger/apiExcludeEndpoint', { disable: true })
  async start(@Query('to') to = '/', @Req() { mace }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const issuer = this.required();
    const { url, kept } = await issuer.begin(this.screenAt(`${this.place.path}console${to}`), mace.now);
    void reply
      .header('set-cookie', oidcCookie(kept, SIGN_IN_S, this.place))
      .header('cache-control', 'no-store')
      .redirect(url.href, 303);
  }

  @Get('callback')
  @Public({ forBrowser: true })
  @SetMetadata('swagger/apiExcludeEndpoint', { disable: true })
  async callback(@Query() _: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const issuer = this.required();
    const { now } = request.mace;
    const kept = cookieIn(request.headers.cookie ?? '', OIDC_COOKIE);
    // Whatever comes of it: a sign-in is ended once.
    void reply.header('set-cookie', oidcCookie('', 0, this.place)).header('cache-control', 'no-store');
    const { token, to } = await issuer.end(new URL(request.url, 'http://mace').search, kept, now);
    const screen = this.screenAt(to);
    const { cookies } = await this.session(token, now);
    void reply.header('set-cookie', cookies).redirect(screen, 303);
  }

  private required(): IssuerSignIn {
    if (this.issuer) return this.issuer;
    throw new MaceError('NOT_FOUND', 'no issuer signs anybody in to this console: MACE_OIDC_ISSUER names none');
  }

  /** @throws MaceError INVALID_INPUT for what lies outside the console */
  private screenAt(path: string): string {
    const { href, origin } = this.config.publicUrl ?? {};
    const url = URL.canParse(path, href) ? new URL(path, href) : undefined;
    const screen = url && `${url.pathname}${url.search}`;
    const isHere = url?.origin === origin && screen?.startsWith(`${this.place.path}console/`);
    if (screen !== undefined && isHere && screen.length <= MAX_PATH) return screen;
    throw new MaceError(
      'INVALID_INPUT',
      `to: a path of the console such as /jobs?status=failed, of ${MAX_PATH} characters at most`,
    );
  }

  /** A token that is not taken is named by what is wrong with it, and by what the issuer should give. */
  private async session(token: string, now: number): ReturnType<typeof beginSession> {
    try {
      return await beginSession(this.authenticator, token, now, this.place);
    } catch (error) {
      if (!(error instanceof MaceError) || error.code !== 'UNAUTHENTICATED') throw error;
      const { jwtIssuer, jwtAudience } = this.config;
      const form = `a signed JWT with iss ${jwtIssuer}, aud ${jwtAudience}, sub, jti, iat, exp and a list roles of ${ROLES.join(', ')}`;
      throw new MaceError(
        'UNAUTHENTICATED',
        `${error.developerMessage}. Allowed as the issuer’s access token: ${form}`,
      );
    }
  }
}
