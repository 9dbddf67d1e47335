import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename } from 'node:path';

import { type EventStore, START } from '#lib/event-store';
import { DamagedFileError, DataFileError, describeFileError, sqliteCode } from '#lib/sqlite';

import type { AnchorFile } from './anchor-file.js';
import type { LogKeys } from './log-keys.js';
import { OriginError } from './origin.js';
import {
  type Anchor,
  anchorOf,
  fits,
  gapRefusal,
  isBegun,
  LogGuardError,
  refuseOtherLog,
  refuseUnbegun,
  shorter,
} from './start-guard.js';
import type { ProofReader } from './store/proof-reader.js';
import { PROOF_LOG } from './store/proof-schema.js';
import { ProofStore } from './store/proof-store.js';
import { edgeHolds } from './tree/right-edge.js';

export interface GuardedStoreOptions {
  readonly events: EventStore;
  /** Of proof.db. */
  readonly path: string;
  readonly keys: LogKeys;
  readonly anchor: AnchorFile;
  readonly witness: { readonly url: string; lastNote(): Promise<string | null> } | undefined;
  /** Told that the file is made again from the events, and why. */
  readonly onRebuild: (reason: string) => void;
}

/** A proof.db that is not taken as it is. */
interface Unfit {
  readonly reason: string;
  readonly anchors: readonly Anchor[];
  /** Where it is kept for whoever wants to know what happened to it; null where nothing is wrong with it. */
  readonly aside: string | null;
}

const PAGE = 1024;
/** ERROR, CORRUPT, CONSTRAINT, MISMATCH, FORMAT, NOTADB: SQLite's codes of a content that does not serve. */
const OF_THE_CONTENT = [1, 11, 19, 20, 24, 26];
/** What our own reading of it raises where a row is none that we have written. */
const UNREADABLE = ['RangeError', 'SyntaxError', 'TypeError'];

/**
 * The store of a Merkle log that has been held against every checkpoint that the key folder, the witness and its own file
 * know. A file that is damaged, or was not made of these events, is made again from them.
 * @throws LogGuardError, OriginError, DataFileError
 */
export async function openGuarded(options: GuardedStoreOptions): Promise<ProofStore> {
  const { events, path, onRebuild } = options;
  const begun = await isBegun(events);
  const known = await anchorsOutside(options);
  const found = await asItIs(options, known, begun);
  if (found instanceof ProofStore) return found;
  const { reason, anchors, aside } = found;
  refuseUnbegun(begun, anchors);
  try {
    await refuseFewer(events, anchors);
    onRebuild(aside === null ? reason : `${reason}; it is kept as ${basename(aside)}`);
    return await rebuilt(events, path, anchors, aside);
  } catch (error) {
    throw (error instanceof LogGuardError && (await gapRefusal(events, anchors))) || error;
  }
}

async function anchorsOutside({ keys, anchor, witness }: GuardedStoreOptions): Promise<readonly Anchor[]> {
  const { origin, verifiers } = keys;
  const anchors: Anchor[] = [];
  const kept = anchor.read();
  if (kept !== null) anchors.push(anchorOf(kept, anchor.name, origin, verifiers));
  const seen = await witness?.lastNote();
  if (witness && seen) anchors.push(anchorOf(seen, witness.url, origin, verifiers));
  return anchors;
}

async function asItIs(
  options: GuardedStoreOptions,
  known: readonly Anchor[],
  begun: boolean,
): Promise<ProofStore | Unfit> {
  const { events, path } = options;
  const aside = `${path}.damaged`;
  let anchors = known;
  let store: ProofStore | undefined;
  try {
    store = await ProofStore.open(path);
    const own = ownAnchor(store, options);
    if (own === 'of another log') {
      await store.close();
      return { reason: 'it was signed as another log', anchors, aside: null };
    }
    if (own) anchors = [...known, own];
    refuseUnbegun(begun, anchors);
    if (await fits(events, store.reader)) {
      refuseEdge(store.reader);
      await catchUp(events, store, anchors);
      refuseOtherLog(anchors, store.reader);
      if (own) refuseOtherRow(store.reader, own);
      return store;
    }
    await store.close();
    return { reason: 'it was not made of these events', anchors, aside: null };
  } catch (error) {
    await closed(store, error);
    if (error instanceof LogGuardError) return { reason: 'it is not what was signed', anchors, aside };
    if (isDamage(error)) return { reason: `it ${problemOf(error)}`, anchors, aside };
    throw describeFileError(path, PROOF_LOG.name, error);
  }
}

/**
 * The newest checkpoint in the file itself.
 * @throws LogGuardError where no key of the log signed it; OriginError for one of another log that nobody else knows
 */
function ownAnchor(
  { reader, path }: ProofStore,
  { keys, anchor }: GuardedStoreOptions,
): Anchor | 'of another log' | null {
  const own = reader.latest();
  if (!own) return null;
  const { origin, verifiers } = keys;
  if (own.origin === origin) return anchorOf(own.note, path, origin, verifiers);
  if (anchor.read() !== null) return 'of another log';
  throw new OriginError(
    `${path} was signed as ${own.origin}, and the folder says that its log is ${origin}: put back what the file \`origin\` said, or the newest copy of the key folder. A log takes another name by \`mace restore --from DIR\` alone`,
  );
}

/**
 * What is signed next follows from what the file says of its newest checkpoint, beside the note that says it signed.
 * @throws LogGuardError
 */
function refuseOtherRow(reader: ProofReader, { from, size, root }: Anchor): void {
  const row = reader.latest();
  const position = size === 0 ? START : reader.placed(size - 1)?.position;
  if (row?.size === size && row.root === root && row.position === position) return;
  throw new LogGuardError(`what stands beside the last checkpoint in ${from} is not what it says`);
}

/** @throws what closing throws, where the file was whole */
async function closed(store: ProofStore | undefined, error: unknown): Promise<void> {
  try {
    await store?.close();
  } catch (fault) {
    // A damaged file may not take its WAL back; the thread that had it has ended all the same.
    if (!isDamage(error)) throw fault;
  }
}

/** @throws RangeError where no leaf can be added to what is kept, or would make another tree */
function refuseEdge(reader: ProofReader): void {
  if (edgeHolds(reader.size(), (leaf) => reader.rowsFrom(leaf, 1)[0])) return;
  throw new RangeError('its right edge does not follow from its leaves');
}

/**
 * Whether it is the file's content that failed. A fault that passes is none of it: a lock, a disk that gives no answer, too
 * many open files, a thread that could not be started. What is not the file's fault fails again where it is made anew.
 */
function isDamage(error: unknown): error is Error {
  if (error instanceof DataFileError) return error instanceof DamagedFileError;
  const code = sqliteCode(error);
  if (code !== undefined) return OF_THE_CONTENT.includes(code & 0xff);
  // By its name: what comes from another thread is of no class of this one.
  return UNREADABLE.includes(String((error as Partial<Error> | null)?.name));
}

/** Without the remedy of a file that cannot be made again. */
function problemOf(error: Error): string {
  return error instanceof DataFileError ? error.problem : `is damaged: ${error.message}`;
}

/** Leaves up to the largest checkpoint: the tree is compared before anything is served. */
async function catchUp(events: EventStore, store: ProofStore, anchors: readonly Anchor[]): Promise<void> {
  const wanted = Math.max(0, ...anchors.map(({ size }) => size));
  for (let size = store.reader.size(); size < wanted;) {
    const page = await events.readAll({ after: store.reader.position(), limit: PAGE });
    if (page.events.length > 0) ({ size } = await store.append(size, page.events));
    else if (page.atHead) return;
  }
}

/** Counting is much cheaper than making the tree again, and tells most logs that are too old. */
async function refuseFewer(events: EventStore, anchors: readonly Anchor[]): Promise<void> {
  const count = await events.count?.(START);
  if (count === undefined) return;
  for (const { from, size, root } of anchors) if (size > count) throw shorter(count, from, size, root);
}

/** Made beside the old file and put in its place only once it agrees with every checkpoint. */
async function rebuilt(
  events: EventStore,
  path: string,
  anchors: readonly Anchor[],
  aside: string | null,
): Promise<ProofStore> {
  const draft = `${path}.new`;
  remove(draft);
  const made = await ProofStore.open(draft);
  try {
    await catchUp(events, made, anchors);
    refuseOtherLog(anchors, made.reader);
  } finally {
    await made.close();
  }
  if (aside !== null) renameSync(path, aside);
  remove(path);
  renameSync(draft, path);
  // Closing has emptied its WAL.
  remove(draft);
  return ProofStore.open(path);
}

function remove(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) rmSync(file);
}
