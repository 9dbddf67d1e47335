import { keyFileIn, KeyFileError, readKeyFile, rotateKey } from '#lib/access';
import { DataFolder, DataFolderInUseError } from '#lib/sqlite';

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

/** Purposes that may get another key; request digests are compared with those made before, so their key stays. */
const ROTATABLE = [
  'event-hmac',
  'snapshot-hmac',
  'pii-hmac',
  'token-signature',
  'response-signature',
  'checkpoint-signature',
  'data-key-wrapping',
  'forensic-evidence',
] as const;

/** `mace keys rotate`: another key signs for a purpose from the next start on, which puts it on record. */
export function rotate({ config, io, dryRun }: Context, purpose: string): ExitCode {
  const wanted = ROTATABLE.find((one) => one === purpose);
  if (!wanted) throw new CommandError(`purpose: one of ${ROTATABLE.join(', ')}`, EXIT.usage);
  if (dryRun) {
    io.out(`would draw a new key for ${wanted}`);
    return EXIT.ok;
  }
  const folder = takeFolder(config.dataDir);
  try {
    const { kid, previousKid } = rotateKey(config.keysFile ?? keyFileIn(config.dataDir), wanted, Date.now());
    io.out(`${kid} signs for ${wanted} from the next start on; ${previousKid ?? 'no key'} still verifies`);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof KeyFileError) throw new CommandError(error.message, EXIT.failure);
    throw error;
  } finally {
    folder.release();
  }
}

function takeFolder(dataDir: string): DataFolder {
  try {
    return DataFolder.take(dataDir);
  } catch (error) {
    if (error instanceof DataFolderInUseError) {
      throw new CommandError(`stop what holds the folder first: ${error.message}`, EXIT.unavailable);
    }
    throw error;
  }
}

function keysOf(file: string) {
  try {
    return readKeyFile(file);
  } catch (error) {
    if (error instanceof KeyFileError) throw new CommandError(error.message, EXIT.failure);
    throw error;
  }
}
