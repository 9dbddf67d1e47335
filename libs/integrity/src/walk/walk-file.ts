import { hash as digestOf } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { canonicalize, type KeyRing } from '#lib/kernel';
import {
  eachRow,
  closeStoreFile,
  DataFileError,
  type DatabaseSync,
  openStoreFile,
  openStoreFileForReading,
  sqliteCode,
  type StoreFileFormat,
} from '#lib/sqlite';

import type { Fault } from '../domain/fault.js';
import type { ChainEnd, ChainEnds } from './chain-ends.js';
import { keyOf, type MacKey, macKeyOf, type WalkRow } from './walk-mac.js';
import { NO_COUNTS, type WalkState } from './walk-state.js';

export const WALK_FILE: StoreFileFormat = {
  name: 'the checkpoint of the integrity walk',
  migrations: [
    `
    CREATE TABLE walk (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL, mac TEXT NOT NULL) STRICT;
    CREATE TABLE ends (
      stream BLOB PRIMARY KEY,
      version INTEGER NOT NULL,
      hash TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE faults (n INTEGER PRIMARY KEY, fault TEXT NOT NULL) STRICT;
    `,
    'ALTER TABLE ends ADD COLUMN recorded_at INTEGER',
  ],
};

/** Streams whose ends are kept in memory, 25 MB or so; the others lie in the file, about 110 bytes each. */
const IN_MEMORY = 100_000;
const NAME_BYTES = 16;
const TAG_BYTES = 32;

interface EndRow {
  readonly version: number;
  readonly hash: string | null;
  readonly recorded_at: number | null;
}

interface Kept extends ChainEnd {
  /** As it stands in the file; null where it does not. */
  readonly stored: ChainEnd | null;
}

/** What stands in `walk`, under a MAC. */
interface Checkpoint extends WalkState {
  readonly kid: string;
  /** Sum (xor) of the MACs of all ends: none of them can be changed, added or taken out unseen. */
  readonly ends: string;
  readonly listed: number;
  /** Hash over the rows of `faults` in their order: each with the hash over those before it. */
  readonly told: string;
}

/**
 * The walk's place, in `integrity.db`: position, ends of streams and faults found move together, and only what was
 * written by somebody with the key is gone on from. Without the ends a walk that goes on would have to believe that
 * what it finds is what it left.
 */
export class WalkFile implements ChainEnds {
  private readonly db: DatabaseSync;
  private readonly sql: ReturnType<typeof prepareStatements>;
  private readonly kept = new Map<string, Kept>();
  private readonly changed = new Set<string>();
  private sum = Buffer.alloc(TAG_BYTES);
  private listed = 0;
  private told = '';
  private macKey: MacKey;
  /** Whether everything in the file is in memory too: then nothing need be looked for there. */
  private isAllKept = false;

  /** @param folder path of the data folder @throws DataFileError */
  constructor(
    folder: string,
    private readonly ring: KeyRing,
    private readonly inMemory = IN_MEMORY,
  ) {
    this.db = openedAnew(join(folder, 'integrity.db'));
    // It is made again by walking again: what a power failure takes is the last seconds of a walk.
    this.db.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384');
    this.sql = prepareStatements(this.db);
    this.macKey = keyOf(ring.active('event-hmac'), ring);
  }

  /** Forgets what another walk left. */
  begin(): void {
    this.kept.clear();
    this.changed.clear();
    this.sum = Buffer.alloc(TAG_BYTES);
    this.listed = 0;
    this.told = '';
    this.isAllKept = true;
    this.db.exec('BEGIN IMMEDIATE; DELETE FROM walk; DELETE FROM ends; DELETE FROM faults; COMMIT');
  }

  /** Where a walk was left; null where none was, or what there is was not written by a walk. */
  resume(): { readonly state: WalkState; readonly faults: readonly Fault[] } | null {
    this.isAllKept = false;
    const row = this.sql.walk.get();
    if (!row) return null;
    const macKey = macKeyOf(row, this.ring);
    if (!macKey) return null;
    const { ends, listed, told } = JSON.parse(row.state) as Checkpoint;
    const state = stateIn(row);
    this.macKey = macKey;
    this.sum = Buffer.alloc(TAG_BYTES);
    for (const { stream, ...end } of eachRow(this.sql.all)) this.add(Buffer.from(stream).toString('hex'), endOf(end));
    const faults = this.sql.faults.all().map(({ fault }) => fault);
    if (this.sum.toString('hex') !== ends || faults.reduce(toldAfter, '') !== told) return null;
    this.listed = listed;
    this.told = told;
    return { state, faults: faults.map((fault) => JSON.parse(fault) as Fault) };
  }

  get(stream: string): ChainEnd | undefined {
    const name = nameOf(stream);
    const known = this.kept.get(name);
    if (known || this.isAllKept) return known;
    const stored = this.sql.end.get(Buffer.from(name, 'hex'));
    if (!stored) return undefined;
    const end = endOf(stored);
    this.kept.set(name, { ...end, stored: end });
    return end;
  }

  /** After `get` of the same stream. */
  set(stream: string, end: ChainEnd): void {
    const name = nameOf(stream);
    const stored = this.kept.get(name)?.stored ?? null;
    // Last in the order of the map: what was not used for long is forgotten first.
    this.kept.delete(name);
    this.kept.set(name, { ...end, stored });
    this.changed.add(name);
  }

  /** Writes how far the walk is, with everything that belongs to it, at once. @param faults found since the last time */
  checkpoint(state: WalkState, faults: readonly Fault[]): void {
    this.db.exec('BEGIN IMMEDIATE');
    for (const name of this.changed) {
      const { stored, ...end } = this.kept.get(name)!;
      if (stored) this.add(name, stored);
      this.add(name, end);
      this.sql.setEnd.run(Buffer.from(name, 'hex'), end.version, end.hash, end.recordedAt);
      this.kept.set(name, { ...end, stored: end });
    }
    this.changed.clear();
    for (const fault of faults) {
      const text = JSON.stringify(fault);
      this.sql.addFault.run(text);
      this.told = toldAfter(this.told, text);
    }
    this.listed += faults.length;
    const checkpoint: Checkpoint = {
      ...state,
      kid: this.macKey.kid,
      ends: this.sum.toString('hex'),
      listed: this.listed,
      told: this.told,
    };
    const text = canonicalize(checkpoint);
    this.sql.setWalk.run(text, this.macKey.key.hex(text));
    this.db.exec('COMMIT');
    for (const name of this.kept.keys()) {
      if (this.kept.size <= this.inMemory) break;
      this.kept.delete(name);
      this.isAllKept = false;
    }
  }

  close(): void {
    closeStoreFile(this.db);
  }

  private add(name: string, { version, hash, recordedAt }: ChainEnd): void {
    const time = recordedAt === null ? '' : ` ${recordedAt}`;
    const tag = this.macKey.key.latin1(`${name} ${version} ${hash ?? ''}${time}`);
    for (let i = 0; i < TAG_BYTES; i++) this.sum[i]! ^= tag.charCodeAt(i);
  }
}

/** A release before this one kept no places, and counted no times. */
function stateIn(row: WalkRow): WalkState {
  const { kid: _, ends: __, listed: ___, told: ____, ...state } = JSON.parse(row.state) as Checkpoint;
  const { places = null, counts } = state as Partial<Checkpoint>;
  return { ...state, places, counts: { ...NO_COUNTS, ...counts } };
}

function endOf({ version, hash, recorded_at: recordedAt }: EndRow): ChainEnd {
  return { version, hash, recordedAt };
}

function toldAfter(before: string, fault: string): string {
  return digestOf('sha256', before + fault, 'hex');
}

/**
 * What a stopped process left of a walk; null also for what nobody with the key has written. Whether it can be gone on
 * from, the walk itself finds out.
 * @param folder path of the data folder
 */
export function leftWalk(folder: string, ring: KeyRing): WalkState | null {
  const path = join(folder, 'integrity.db');
  if (!existsSync(path)) return null;
  let db: DatabaseSync | undefined;
  try {
    db = openStoreFileForReading(path, WALK_FILE);
    // A walk that begins has the file before it has the tables.
    if (!db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'walk'").get()) return null;
    const row = db.prepare<WalkRow>('SELECT state, mac FROM walk').get();
    if (!row || !macKeyOf(row, ring)) return null;
    return stateIn(row);
  } catch (error) {
    // Of a damaged file nothing is left; the next walk makes another.
    if (error instanceof DataFileError || error instanceof SyntaxError || sqliteCode(error) !== undefined) return null;
    throw error;
  } finally {
    db?.close();
  }
}

/** What cannot be opened is made again: it holds nothing that walking again does not give. */
function openedAnew(path: string): DatabaseSync {
  try {
    return openStoreFile(path, WALK_FILE);
  } catch (error) {
    if (!(error instanceof DataFileError)) throw error;
    // Whoever put it there knows what is in it.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw new DataFileError(path, 'is a folder', 'Move it away: a walk makes the file that belongs there.');
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    return openStoreFile(path, WALK_FILE);
  }
}

function nameOf(stream: string): string {
  return digestOf('sha256', stream, 'hex').slice(0, 2 * NAME_BYTES);
}

function prepareStatements(db: DatabaseSync) {
  return {
    walk: db.prepare<WalkRow>('SELECT state, mac FROM walk'),
    setWalk: db.prepare('INSERT OR REPLACE INTO walk (id, state, mac) VALUES (1, ?, ?)'),
    end: db.prepare<EndRow>('SELECT version, hash, recorded_at FROM ends WHERE stream = ?'),
    all: db.prepare<EndRow & { stream: Uint8Array }>('SELECT * FROM ends'),
    setEnd: db.prepare('INSERT OR REPLACE INTO ends (stream, version, hash, recorded_at) VALUES (?, ?, ?, ?)'),
    faults: db.prepare<{ fault: string }>('SELECT fault FROM faults ORDER BY n'),
    addFault: db.prepare('INSERT INTO faults (fault) VALUES (?)'),
  };
}
