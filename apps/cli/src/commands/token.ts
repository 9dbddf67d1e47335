import {
  keyFileIn,
  KeyFileError,
  MAX_TTL_S,
  openKeyFile,
  ROLES,
  signToken,
  type Role,
  type TokenOrder,
} from '#lib/access';
import type { JsonObject } from '#lib/kernel';

import { type Call, runningServer } from '../client.js';
import { rehearsed, type Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { showObject } from './shown.js';

interface TokenOptions {
  readonly user?: string;
  readonly role?: readonly string[];
  readonly ttl: number;
  readonly otp?: string;
}

/** `mace token`: registers the person where the log is, signs here with the folder's key, prints the token only. */
export async function token(context: Context, options: TokenOptions): Promise<ExitCode> {
  refuseInProduction(context, 'tokens');
  const { io } = context;
  const { user, role, ttl, otp } = checked(options);
  const call = (code: string | undefined): Call =>
    code === undefined
      ? { method: 'POST', path: '/local/principals', body: { user_id: user } }
      : { method: 'POST', path: '/local/otp/verify', body: { user_id: user, otp: code } };
  if (rehearsed(context, call(otp && '(the code)'))) return EXIT.ok;
  await context.answer(call(otp));
  const access_token = await signed(context, {
    userId: user,
    roles: role,
    ttlSeconds: ttl,
    ...(otp ? { amr: ['otp'] } : {}),
  });
  io.out(context.json ? JSON.stringify({ access_token }, null, 2) : access_token);
  return EXIT.ok;
}

/** `mace console`: prints a link by which a browser signs in to the console of the server that runs on the folder. */
export async function consoleLink(context: Context, options: TokenOptions): Promise<ExitCode> {
  refuseInProduction(context, 'sessions of the console', signInPlace(context));
  const { user, role, ttl } = checked(options);
  const call = (token: string): Call => ({ method: 'POST', path: '/local/sign-in-links', body: { token } });
  if (rehearsed(context, call('(a token)'))) return EXIT.ok;
  // A link leads to a server that runs: this process would be gone.
  await runningServer(context.config.dataDir);
  const token = await signed(context, { userId: user, roles: role, ttlSeconds: ttl });
  const answer = await context.answer<SignInLink>(call(token));
  if (context.json) showObject(context, answer);
  else {
    context.io.out(answer.url);
    context.io.say(
      `For ${user} (${role.join(', ')}): open it in a browser within ${answer.expires_in} seconds; it works once.`,
    );
  }
  return EXIT.ok;
}

function signInPlace({ config: { oidc, publicUrl } }: Context): string {
  return oidc
    ? `: sign in at ${publicUrl!.href}console, by the issuer`
    : ': people sign in by the issuer that MACE_OIDC_ISSUER names (docs/access.md)';
}

interface SignInLink extends JsonObject {
  readonly url: string;
  readonly expires_in: number;
}

function signed(context: Context, order: Omit<TokenOrder, 'now' | 'issuer' | 'audience'>): Promise<string> {
  const { jwtIssuer: issuer, jwtAudience: audience } = context.config;
  return signToken(ringOf(context), { ...order, issuer, audience, now: Date.now() });
}

/** `mace token revoke`: a token, or by its jti; or every token that a person has by now. */
export async function revoke(context: Context, given: string | undefined, user?: string): Promise<ExitCode> {
  if ((given === undefined) === (user === undefined)) {
    throw new CommandError('name a token, a jti, or --user and whose tokens are all to be void', EXIT.usage);
  }
  const call = (shown: string | undefined): Call => {
    if (given === undefined) return { method: 'POST', path: '/local/principals/remove', body: { user_id: user! } };
    return { method: 'POST', path: '/auth/revoke', body: IS_TOKEN.test(given) ? { token: shown! } : { jti: shown! } };
  };
  // A token is not printed, not even where it is to be revoked.
  if (rehearsed(context, call(given && IS_TOKEN.test(given) ? '(the token)' : given))) return EXIT.ok;
  const answer = await context.answer(call(given));
  context.io.out(context.json ? JSON.stringify(answer, null, 2) : revokedLine(answer));
  return EXIT.ok;
}

/** Names the person in the form that tokens carry, so that a misspelt name shows. */
function revokedLine(answer: unknown): string {
  const { user_id: user } = answer as { readonly user_id?: string };
  return user === undefined ? 'revoked' : `every token that ${user} has by now is revoked`;
}

const IS_TOKEN = /^[^.]+\.[^.]+\.[^.]+$/;

/** @throws CommandError where tokens, and who shows a second factor, are the issuer's to say */
export function refuseInProduction({ config }: Context, what: string, instead = ''): void {
  if (config.mode !== 'production' && config.jwksUrl === undefined) return;
  throw new CommandError(
    `in production, and where MACE_JWKS_URL names an issuer, ${what} come from it; this command makes none${instead}`,
    EXIT.denied,
  );
}

function checked({ user, role, ttl, otp }: TokenOptions) {
  if (user === undefined) throw new CommandError('--user: whose token', EXIT.usage);
  if (role === undefined) throw new CommandError(`--role: ${ROLES.join(', ')}`, EXIT.usage);
  if (!role.every((name) => (ROLES as readonly string[]).includes(name)))
    throw new CommandError(`--role: of ${ROLES.join(', ')}`, EXIT.usage);
  if (ttl < 1 || ttl > MAX_TTL_S) throw new CommandError(`--ttl: seconds, from 1 to ${MAX_TTL_S}`, EXIT.usage);
  if (otp !== undefined && !/^[0-9]{6}$/.test(otp)) throw new CommandError('--otp: six digits', EXIT.usage);
  return { user, role: role as readonly Role[], ttl, otp };
}

function ringOf({ config }: Context) {
  try {
    return openKeyFile(config.keysFile ?? keyFileIn(config.dataDir), {
      mayDraw: false,
      production: false,
      now: Date.now(),
    });
  } catch (error) {
    if (error instanceof KeyFileError) throw new CommandError(error.message, EXIT.failure);
    throw error;
  }
}
