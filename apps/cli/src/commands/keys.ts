import { keyFileIn, KeyFileError, readKeyFile } from '#lib/access';

import type { Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';

/** `mace keys list`: which keys there are and since when each is valid; never a secret. */
export function listKeys({ config, io, json }: Context): ExitCode {
  const keys = keysOf(config.keysFile ?? keyFileIn(config.dataDir)).map(
    ({ kid, purpose, state, notBefore, notAfter }) => ({
      kid,
      purpose,
      state,
      not_before: notBefore,
      not_after: notAfter ?? null,
    }),
  );
  if (json) {
    io.out(JSON.stringify({ items: keys, next_cursor: null }, null, 2));
    return EXIT.ok;
  }
  const rows = keys.map((key) => [key.kid, key.purpose, key.state, key.not_before, key.not_after ?? '-']);
  for (const line of table([['KEY', 'PURPOSE', 'STATE', 'FROM', 'TO'], ...rows])) io.out(line);
  return EXIT.ok;
}

function keysOf(file: string) {
  try {
    return readKeyFile(file);
  } catch (error) {
    if (error instanceof KeyFileError) throw new CommandError(error.message, EXIT.failure);
    throw error;
  }
}
