import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isOrigin, parseCheckpoint, parseNote } from '#lib/verifier';

import { anchorsIn } from './anchor-file.js';
import { replaceFile } from './durable-file.js';

/** The log has no origin that can be told, or another one than it should have. */
export class OriginError extends Error {
  override readonly name = 'OriginError';
}

export function drawnOrigin(): string {
  return `mace.local/${randomBytes(8).toString('hex')}`;
}

const fileIn = (dataFolder: string): string => join(dataFolder, 'origin');

export interface OriginOptions {
  readonly dataFolder: string;
  readonly keyFolder: string;
  /** From the configuration. */
  readonly wanted?: string;
  /** True where there are no events yet. */
  readonly isNew: boolean;
}

/**
 * The origin of the log in a data folder, drawn and pinned at its first start. Where the pin of a log with events is
 * gone, the key folder says what it was; a new name would free it from every checkpoint that it ever signed.
 * @throws OriginError
 */
export async function originOf({ dataFolder, keyFolder, wanted, isNew }: OriginOptions): Promise<string> {
  const pinned = pinnedOrigin(dataFolder);
  if (pinned !== null) {
    if (wanted === undefined || wanted === pinned) return pinned;
    throw new OriginError(
      `MACE_ORIGIN is ${wanted}, but the log in ${dataFolder} is ${pinned}: unset it, or use the data folder of ${wanted}`,
    );
  }
  // Keys from outside may serve several logs; those in the folder serve the one that was there.
  const mayBeOthers = isNew && !keyFolder.startsWith(dataFolder);
  const origin = wanted ?? (mayBeOthers ? null : knownOrigin(dataFolder, keyFolder)) ?? drawnOrigin();
  await pinOrigin(dataFolder, origin);
  return origin;
}

export async function pinOrigin(dataFolder: string, origin: string): Promise<void> {
  await replaceFile(fileIn(dataFolder), `${origin}\n`);
}

/** Null where the folder names none. @throws OriginError */
export function pinnedOrigin(dataFolder: string): string | null {
  const path = fileIn(dataFolder);
  if (!existsSync(path)) return null;
  const origin = readFileSync(path, 'utf8').trimEnd();
  if (!isOrigin(origin)) throw new OriginError(`${path} holds no origin; restore it, or set MACE_ORIGIN and remove it`);
  return origin;
}

function knownOrigin(dataFolder: string, keyFolder: string): string | null {
  const origins = anchorsIn(keyFolder).flatMap((note) => parseCheckpoint(parseNote(note).text)?.origin ?? []);
  if (origins.length > 1) {
    throw new OriginError(
      `${fileIn(dataFolder)} is missing, and the key folder knows several logs (${origins.join(', ')}): set MACE_ORIGIN to the one of this log`,
    );
  }
  return origins[0] ?? null;
}
