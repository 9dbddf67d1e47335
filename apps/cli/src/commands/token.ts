import { keyFileIn, KeyFileError, MAX_TTL_S, openKeyFile, ROLES, signToken, type Role } from '#lib/access';

import type { Context } from '../context.js';
import { rehearsed } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';

interface TokenOptions {
  readonly user: string;
  readonly role: readonly string[];
  readonly ttl: number;
}

/** `mace token`: registers the person where the log is, signs here with the folder's key, prints the token only. */
export async function token(context: Context, { user, role, ttl }: TokenOptions): Promise<ExitCode> {
  const { config, io } = context;
  if (config.mode === 'production') {
    throw new CommandError(
      'in production tokens come from the issuer (MACE_JWKS_URL); this command makes none',
      EXIT.denied,
    );
  }
  const unknown = role.find((name) => !(ROLES as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new CommandError(`--role: "${unknown}" is not one of ${ROLES.join(', ')}`, EXIT.usage);
  if (ttl < 1 || ttl > MAX_TTL_S) throw new CommandError(`--ttl: seconds, from 1 to ${MAX_TTL_S}`, EXIT.usage);
  const call = { method: 'POST', path: '/local/principals', body: { user_id: user } } as const;
  if (rehearsed(context, call)) return EXIT.ok;
  await context.answer(call);
  const ring = ringOf(context);
  const order = { userId: user, roles: role as readonly Role[], ttlSeconds: ttl, now: Date.now() };
  io.out(await signToken(ring, { ...order, issuer: config.jwtIssuer, audience: config.jwtAudience }));
  return EXIT.ok;
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
