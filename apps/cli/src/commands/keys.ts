import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { drawKeys, KeyFileError, openKeyFile, readKeyFile, revokeKey, rotateKey, writeKeyFile } from '#lib/access';
import {
  KeyServiceError,
  type KeyWrapping,
  rewrapDataKeys,
  rotateSubjectKey,
  SubjectRefusedError,
  type SubjectKeyStore,
  UnusableSubjectKeyError,
  VaultTransitWrapping,
} from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';
import { principalNormalForm } from '#lib/memory';
import { MongoAwayError } from '#lib/mongodb';
import { DataFileError, DataFolder, DataFolderInUseError } from '#lib/sqlite';

import { createLogger } from '../../../api/src/edge/log.js';
import { keyWrappingOf } from '../../../api/src/key-encryption.js';
import type { Config } from '../../../api/src/platform.config.js';
import { readSideOf } from '../../../api/src/platform.read-side.js';
import { ROTATABLE } from '../closed-lists.js';
import { type Context, rehearsedHere } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';
import { refuseNothing } from '../nothing-there.js';
import { keyFileOf } from '../own-keys.js';

/** `mace keys list`: which keys there are and since when each is valid; never a secret. */
export function listKeys({ config, io, json }: Context): ExitCode {
  const keys = keysOf(keyFileOf(config)).map(({ kid, purpose, state, notBefore, notAfter }) => ({
    kid,
    purpose,
    state,
    not_before: notBefore,
    not_after: notAfter ?? null,
  }));
  if (json) {
    io.out(JSON.stringify({ items: keys, next_cursor: null }, null, 2));
    return EXIT.ok;
  }
  const rows = keys.map((key) => [key.kid, key.purpose, key.state, key.not_before, key.not_after ?? '-']);
  for (const line of table([['KEY', 'PURPOSE', 'STATE', 'FROM', 'TO'], ...rows])) io.out(line);
  return EXIT.ok;
}

/** `mace keys draw`: a ring with a key of every purpose, which production does not draw for itself. Overwrites nothing. */
export function draw(context: Context, file: string): ExitCode {
  const { io, json } = context;
  if (existsSync(file)) throw new CommandError(`${file} is there already; nothing is drawn over keys`, EXIT.failure);
  if (rehearsedHere(context, `draw a key ring into ${file}`, file)) return EXIT.ok;
  try {
    writeKeyFile(file, drawKeys(Date.now()));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new CommandError(`${file} cannot be written (${code})`, EXIT.failure, { cause: error });
  }
  const line = `${file} holds the keys from now on; back it up apart from the data: without it nothing can be read`;
  io.out(json ? JSON.stringify({ file }, null, 2) : line);
  return EXIT.ok;
}

/** The one purpose that is a person's: their own data key. */
const DATA_KEY = 'data-key';

/** `mace keys rotate`: another key signs for a purpose from the next start on, which puts it on record. */
export async function rotate(context: Context, purpose: string, user?: string): Promise<ExitCode> {
  if (purpose === DATA_KEY || user !== undefined) return rotateDataKey(context, purpose, user);
  const wanted = ROTATABLE.find((one) => one === purpose);
  if (!wanted) throw new CommandError(`purpose: one of ${[...ROTATABLE, DATA_KEY].join(', ')}`, EXIT.usage);
  const { config, io, json } = context;
  if (rehearsedHere(context, `draw a new key for ${wanted}`, ...filesOf(config, wanted))) return EXIT.ok;
  return withFolder(config, async (folder) => {
    if (wanted === 'data-key-wrapping') {
      return rewrapIn(context, folder, await newWrappingKey(context));
    }
    const { kid, previousKid } = rotateKey(keyFileOf(config), wanted, Date.now());
    const rotated = { purpose: wanted, kid, previous_kid: previousKid ?? null };
    const line = `${kid} signs for ${wanted} from the next start on; ${previousKid ?? 'no key'} still verifies`;
    io.out(json ? JSON.stringify(rotated, null, 2) : line);
    return EXIT.ok;
  });
}

/** `mace keys rewrap`: brings every data key under the newest key-encryption key; goes on where a rotation broke off. */
export function rewrap(context: Context): Promise<ExitCode> {
  const change = 'bring every data key under the newest key-encryption key';
  if (rehearsedHere(context, change, ...dataKeyFiles(context.config))) return Promise.resolve(EXIT.ok);
  return withFolder(context.config, (folder) => rewrapIn(context, folder));
}

/** `mace keys revoke`: what a key signed that was rotated away, as one that others may have, is taken from the next start on no more. */
export function revoke(context: Context, kid: string, allStopped: boolean): Promise<ExitCode> {
  const { config, io, json } = context;
  const file = keyFileOf(config);
  if (config.mongoDb && !allStopped) refuseBesideOthers(file, kid);
  if (rehearsedHere(context, `end ${kid} for good`, file)) return Promise.resolve(EXIT.ok);
  return withFolder(config, async (folder) => {
    await withDataKeys(config, folder, async (keys) => {
      for (let after: string | null = null; ;) {
        const page = await keys.present(after, 200);
        if (page.keys.some(({ wrappedBy }) => wrappedBy === kid))
          throw new CommandError(`people's data keys are wrapped by ${kid}; first: mace keys rewrap`, EXIT.failure);
        if (page.next === null) return EXIT.ok;
        after = page.next;
      }
    });
    const { purpose } = revokeKey(file, kid);
    const line = `${kid} is revoked: from the next start on nothing is taken for signed or wrapped by it`;
    io.out(json ? JSON.stringify({ purpose, kid, state: 'revoked' }, null, 2) : line);
    return EXIT.ok;
  });
}

/** This folder is held; what else works on that MongoDB is not, and may wrap another person's key before it has the new ring. */
function refuseBesideOthers(file: string, kid: string): void {
  const key = keysOf(file).find((one) => one.kid === kid);
  if (key?.purpose !== 'data-key-wrapping' || key.state !== 'verify-only') return;
  const why =
    'a process that still runs on the old key file wraps new data keys by it, and what they encrypt would be lost';
  throw new CommandError(`${why}: stop every process on this log, then say so with --all-stopped`, EXIT.usage);
}

/** What a rotation writes: the ring, or the key service's own; and data keys under what wraps them. */
function filesOf(config: Config, purpose: (typeof ROTATABLE)[number]): readonly string[] {
  if (purpose !== 'data-key-wrapping') return [keyFileOf(config)];
  return [...(config.kms ? [] : [keyFileOf(config)]), ...dataKeyFiles(config)];
}

/** None where MongoDB keeps them. */
function dataKeyFiles({ mongoDb, dataDir }: Config): readonly string[] {
  return mongoDb ? [] : [join(dataDir, 'subject-keys.db')];
}

/** What wraps data keys now, by its name; the key service has versions of one. */
async function newWrappingKey({ config, io, json }: Context): Promise<JsonObject> {
  const purpose = 'data-key-wrapping';
  if (config.kms) {
    await new VaultTransitWrapping(config.kms).rotate();
    if (!json) io.out(`the key service has a new version of ${config.kms.key}; the versions before it still open`);
    return { purpose, kid: config.kms.key, previous_kid: config.kms.key };
  }
  const { kid, previousKid } = rotateKey(keyFileOf(config), purpose, Date.now());
  if (!json) io.out(`${kid} wraps data keys; ${previousKid ?? 'no key'} still opens them`);
  return { purpose, kid, previous_kid: previousKid ?? null };
}

/** @param before what was done before it, which stands in one answer with it */
function rewrapIn({ config, io, json }: Context, folder: DataFolder, before: JsonObject = {}): Promise<ExitCode> {
  return withDataKeys(config, folder, async (keys, wrapping) => {
    const { seen, rewrapped } = await rewrapDataKeys(keys, wrapping);
    // This folder is held; what else works on that MongoDB is not.
    if (config.mongoDb)
      io.say('every other process on this log reads them once it has this key file: restart them all');
    const line = `${rewrapped} of ${seen} data keys were brought under it; no event was touched`;
    io.out(json ? JSON.stringify({ ...before, seen, rewrapped }, null, 2) : line);
    return EXIT.ok;
  });
}

async function rotateDataKey(context: Context, purpose: string, user: string | undefined): Promise<ExitCode> {
  if (purpose !== DATA_KEY || user === undefined) {
    throw new CommandError(`a person's data key: mace keys rotate ${DATA_KEY} --user tuff`, EXIT.usage);
  }
  const { config, io, json } = context;
  const subject = principalNormalForm(user);
  if (rehearsedHere(context, `give ${subject} a new data key`, ...dataKeyFiles(config))) return EXIT.ok;
  return withFolder(config, (folder) =>
    withDataKeys(config, folder, async (keys, wrapping) => {
      const rotated = await rotateSubjectKey(keys, wrapping, subject);
      if (!rotated) throw new CommandError(`${subject} has no data key`, EXIT.failure);
      const { kid, previousKid: previous_kid } = rotated;
      const line = `${kid} encrypts what is stored of ${subject} from now on; ${previous_kid} still decrypts`;
      io.out(json ? JSON.stringify({ purpose: DATA_KEY, subject, kid, previous_kid }, null, 2) : line);
      return EXIT.ok;
    }),
  );
}

async function withDataKeys(
  config: Config,
  folder: DataFolder,
  use: (keys: SubjectKeyStore, wrapping: KeyWrapping) => Promise<ExitCode>,
): Promise<ExitCode> {
  const production = config.mode === 'production';
  const ring = openKeyFile(keyFileOf(config), { mayDraw: false, production, now: Date.now() });
  const keys = await readSideOf(config, folder, createLogger({ ...config, logLevel: 'warn' })).subjectKeys();
  try {
    return await use(keys, keyWrappingOf(config, ring));
  } finally {
    await keys.close();
  }
}

/** While no server runs; faults of keys in words. */
async function withFolder(config: Config, use: (folder: DataFolder) => Promise<ExitCode>): Promise<ExitCode> {
  refuseNothing(config);
  const folder = takeFolder(config.dataDir);
  try {
    return await use(folder);
  } catch (error) {
    if (error instanceof KeyServiceError) throw new CommandError(error.message, EXIT.unavailable);
    if (error instanceof MongoAwayError) throw new CommandError(`MONGODB_URL: ${error.message}`, EXIT.unavailable);
    const isOfKeys = [KeyFileError, UnusableSubjectKeyError, SubjectRefusedError].some((kind) => error instanceof kind);
    if (isOfKeys) throw new CommandError((error as Error).message, EXIT.failure);
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
    if (error instanceof DataFileError) throw new CommandError(error.message, EXIT.failure, { cause: error });
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
