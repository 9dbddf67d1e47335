import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';

import { isOrigin, NoteError, parseCheckpoint, parseNote } from '#lib/verifier';

import { AnchorFile, anchorsIn } from './anchor-file.js';
import { readText, replaceFile } from './durable-file.js';

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
  /** Makes a new log known to the key folder, before it is pinned. */
  readonly claim: (origin: string) => Promise<void>;
}

/**
 * The origin of the log in a data folder, drawn and pinned at its first start. Where the pin of a log with events is
 * gone, the key folder says what it was; a name that it does not know would free the log from every checkpoint that was
 * ever signed of it, and is refused. `mace restore` alone gives another.
 * @throws OriginError
 */
export async function originOf({ dataFolder, keyFolder, wanted, isNew, claim }: OriginOptions): Promise<string> {
  const pinned = pinnedOrigin(dataFolder);
  if (pinned !== null) {
    if (wanted !== undefined && wanted !== pinned) {
      throw new OriginError(
        `MACE_ORIGIN is ${wanted}, but the log in ${dataFolder} is ${pinned}: unset it, or use the data folder of ${wanted}`,
      );
    }
    refuseUnknown(pinned, dataFolder, keyFolder);
    return pinned;
  }
  // Keys from outside may serve several logs; those in the folder serve the one that was there.
  const mayBeOthers = isNew && !isWithin(keyFolder, dataFolder);
  const origin = wanted ?? (mayBeOthers ? null : knownOrigin(dataFolder, keyFolder)) ?? drawnOrigin();
  if (!mayBeOthers) refuseUnknown(origin, dataFolder, keyFolder);
  if (isNew) await claim(origin);
  await pinOrigin(dataFolder, origin);
  return origin;
}

/**
 * The log whose place a restore takes: the one that the folders say, where the key folder knows it.
 * @throws OriginError where nothing tells it
 */
export function originBefore(dataFolder: string, from: string, keyFolder: string): string {
  const said = pinnedOrigin(dataFolder) ?? pinnedOrigin(from);
  if (said !== null && isKnown(said, keyFolder)) return said;
  const origin = knownOrigin(dataFolder, keyFolder) ?? said;
  if (origin === null) throw new OriginError(`neither ${dataFolder} nor ${from} says which log it is`);
  return origin;
}

function refuseUnknown(origin: string, dataFolder: string, keyFolder: string): void {
  if (isKnown(origin, keyFolder)) return;
  const known = anchorsIn(keyFolder).map((path) => originIn(path) ?? `one whose checkpoint in ${path} cannot be read`);
  throw new OriginError(
    `the log in ${dataFolder} says that it is ${origin}, and of that one the keys in ${keyFolder} have signed nothing; they know ${known.join(', ')}. Put back ${fileIn(dataFolder)}, or the newest copy of the key folder. A log takes another name by \`mace restore --from DIR\` alone`,
  );
}

/** Also where the key folder knows no log at all. */
function isKnown(origin: string, keyFolder: string): boolean {
  return new AnchorFile(keyFolder, origin).read() !== null || anchorsIn(keyFolder).length === 0;
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

export async function pinOrigin(dataFolder: string, origin: string): Promise<void> {
  await replaceFile(fileIn(dataFolder), `${origin}\n`);
}

/** Null where the folder names none. @throws OriginError */
export function pinnedOrigin(dataFolder: string): string | null {
  const path = fileIn(dataFolder);
  if (!existsSync(path)) return null;
  const origin = readText(path).trimEnd();
  if (!isOrigin(origin)) throw new OriginError(`${path} holds no origin; restore it, or set MACE_ORIGIN and remove it`);
  return origin;
}

function knownOrigin(dataFolder: string, keyFolder: string): string | null {
  const origins = anchorsIn(keyFolder).map((path) => {
    const origin = originIn(path);
    if (origin !== null) return origin;
    throw new OriginError(
      `${fileIn(dataFolder)} is missing, and ${path} is no checkpoint that would say which log it is: put one of them back, or set MACE_ORIGIN to the name of this log`,
    );
  });
  if (origins.length > 1) {
    throw new OriginError(
      `${fileIn(dataFolder)} is missing, and the key folder knows several logs (${origins.join(', ')}): set MACE_ORIGIN to the one of this log`,
    );
  }
  return origins[0] ?? null;
}

/** Of the log whose checkpoint a file holds; null where it holds none. */
function originIn(path: string): string | null {
  try {
    return parseCheckpoint(parseNote(readText(path)).text)?.origin ?? null;
  } catch (error) {
    if (error instanceof NoteError) return null;
    throw error;
  }
}
