import { canonicalize, sha256Hex, type Json } from '#lib/kernel';

import type { WriteRef } from './domain/sem.js';
import type { PreparedWrite, SemReader, SemRecord } from './sem-reader.js';
import type { SemWriter } from './sem-writer.js';
import type { PutRequest, WriteOutcome } from './write-request.js';

/** What a job read of memory, as its evidence and its snapshot hash hold it. */
export interface SnapshotEntry {
  readonly key: string;
  readonly value: Json;
  readonly timestamp: string | null;
}

/** Memory as the job engine's live effects see it. */
export class SemMemory {
  constructor(
    private readonly reader: SemReader,
    private readonly writer: SemWriter,
  ) {}

  get(key: string): Promise<SemRecord> {
    return this.reader.get(key);
  }

  prepareWrite(key: string, now: number): Promise<PreparedWrite> {
    return this.reader.prepareWrite(key, now);
  }

  /**
   * Writes under the provenance given. A job names its own seed, the next sequence_index, and the revision of the key
   * that it recorded before the write left (`repeats.fromRevision`): running again, it takes its own event if it is
   * there. What a failed or blocked write leaves in the log is the caller's to append.
   * @throws MaceError as SemWriter.put
   */
  put(request: PutRequest): Promise<WriteOutcome> {
    return this.writer.put(request);
  }

  /** The event an earlier run of the job wrote, or null. */
  findOwnPut(key: string, jobSeed: string, sequenceIndex: number, fromRevision: number): Promise<WriteRef | null> {
    return this.writer.findOwnPut(key, jobSeed, sequenceIndex, fromRevision);
  }
}

/** `sem_snapshot_hash`: sha256 of the canonical array of [key, value, timestamp], sorted by key (spec/memory.md). */
export function snapshotHash(entries: Iterable<SnapshotEntry>): string {
  const rows = [...entries].map(({ key, value, timestamp }) => [key, value, timestamp] as const);
  return sha256Hex(canonicalize(rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))));
}
