import type { IncomingHttpHeaders } from 'node:http';

import { type ErrorEnvelope, MaceError } from '#lib/kernel';

/**
 * The session of a browser (docs/console.md): a cookie that holds the access token, and one for 300 seconds that holds the
 * elevated one. Neither can be read by a script, and both open the API to pages of this server alone.
 */
export const SESSION_COOKIE = 'mace_session';
export const ELEVATED_COOKIE = 'mace_elevated';
/** What a sign-in by an issuer is continued with. It comes along when the issuer sends the browser back, as a strict one would not. */
export const OIDC_COOKIE = 'mace_oidc';
/** What a browser was refused that followed a link: words for its person, which the console's page reads, and no link can say. */
const FAILURE_COOKIE = 'mace_failure';
/**
 * What the console's own requests carry: no form and no picture can send it, and no other origin may. It is the id of whoever
 * the page is shown to, or 1 where that is not known yet.
 */
export const CONSOLE_HEADER = 'x-mace-console';

/** Browsers keep no longer ones. */
const MAX_COOKIE = 4096;
/** A cookie ends before its token, so that the one behind it counts again in time. */
const EARLIER_S = 5;

/** Where the console is reached from outside. */
export interface CookiePlace {
  readonly path: string;
  readonly isSecure: boolean;
}

/**
 * The token in the cookies of a request; undefined where there is none.
 * @throws MaceError UNAUTHENTICATED where the request does not come from a page of this server
 */
export function sessionToken(headers: IncomingHttpHeaders): string | undefined {
  const { cookie } = headers;
  if (cookie === undefined) return undefined;
  const session = cookieIn(cookie, SESSION_COOKIE);
  const elevated = cookieIn(cookie, ELEVATED_COOKIE);
  // Another host of the same site may have set either: one is not used beside one of somebody else.
  const token = elevated !== undefined && subjectOf(elevated) === subjectOf(session) ? elevated : session;
  if (token !== undefined) refuseOthers(headers);
  return token;
}

/** Whose token it says it is; whether that is so is seen where it is verified. */
function subjectOf(token: string | undefined): unknown {
  try {
    const payload = Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString();
    return (JSON.parse(payload) as { readonly sub?: unknown }).sub;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** A browser tells where a request comes from; one that says nothing is held to the header, which only our pages send. */
function refuseOthers(headers: IncomingHttpHeaders): void {
  const { origin, host, 'sec-fetch-site': site } = headers;
  const isOwn =
    headers[CONSOLE_HEADER] !== undefined &&
    (site === 'same-origin' || (site === undefined && (origin === undefined || hostOf(origin) === host)));
  if (isOwn) return;
  throw new MaceError(
    'UNAUTHENTICATED',
    `the cookie of the console counts for the console’s own pages, whose requests carry ${CONSOLE_HEADER}; programs send Authorization: Bearer and a token`,
  );
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

export function cookieIn(cookie: string, name: string): string | undefined {
  for (const pair of cookie.split(';')) {
    const text = pair.trim();
    if (text.startsWith(`${name}=`) && text.length > name.length + 1) return text.slice(name.length + 1);
  }
  return undefined;
}

/**
 * The value of a Set-Cookie that keeps a token.
 * @param seconds until the token ends
 * @throws MaceError INVALID_INPUT for a token that no browser keeps
 */
export function cookieWith(name: string, token: string, seconds: number, place: CookiePlace): string {
  const cookie = attributes(name, token, Math.max(0, Math.floor(seconds) - EARLIER_S), place);
  if (cookie.length <= MAX_COOKIE) return cookie;
  throw new MaceError('INVALID_INPUT', `token: too long for a cookie, which takes ${MAX_COOKIE} bytes with its name`);
}

/** The value of a Set-Cookie that takes it away. */
export function cookieWithout(name: string, place: CookiePlace): string {
  return attributes(name, '', 0, place);
}

/** The value of a Set-Cookie for the one path to which the issuer sends a browser back. */
export function oidcCookie(value: string, maxAge: number, { path, isSecure }: CookiePlace): string {
  const cookie = attributes(OIDC_COOKIE, value, maxAge, { path: `${path}console/oidc/callback`, isSecure });
  return cookie.replace('SameSite=Strict', 'SameSite=Lax');
}

/** The value of a Set-Cookie that the console's page reads and takes away. */
export function failureCookie(envelope: ErrorEnvelope): string {
  return `${FAILURE_COOKIE}=${encodeURIComponent(JSON.stringify(envelope))}; Path=/; Max-Age=60; SameSite=Strict`;
}

function attributes(name: string, value: string, maxAge: number, { path, isSecure }: CookiePlace): string {
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`;
}
