import type { Authenticator } from '#lib/access';

import {
  type CookiePlace,
  cookieWith,
  cookieWithout,
  ELEVATED_COOKIE,
  SESSION_COOKIE,
} from '../edge/session-cookie.js';

/** The cookies by which a browser has a session. */
interface BegunSession {
  readonly cookies: string[];
  /** Until its token ends. */
  readonly seconds: number;
}

/** @throws MaceError UNAUTHENTICATED for a token that is not taken, INVALID_INPUT for one that no browser keeps */
export async function beginSession(
  authenticator: Authenticator,
  token: string,
  now: number,
  place: CookiePlace,
): Promise<BegunSession> {
  await authenticator.authenticate(token, now);
  const { expiresAt } = await authenticator.claimsOf(token, now);
  const seconds = Math.floor(expiresAt - now / 1000);
  const cookies = [cookieWith(SESSION_COOKIE, token, seconds, place), cookieWithout(ELEVATED_COOKIE, place)];
  return { cookies, seconds };
}
