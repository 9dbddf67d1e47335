import { randomUUID } from 'node:crypto';

import { emptyHead, type EventLog, IntegrityError, LruMap, VersionConflictError } from '#lib/event-store';
import {
  equalInConstantTime,
  hmacSha256Hex,
  MaceError,
  systemSeed,
  traceId,
  type JsonObject,
  type KeyRing,
} from '#lib/kernel';

import {
  makeSnapshot,
  type PolicyKind,
  type Snapshot,
  snapshotCreated,
  snapshotFault,
  type SnapshotKind,
  snapshotStream,
} from './domain/snapshot.js';

/** The snapshots a job runs on. */
export type SnapshotSet = Readonly<Record<SnapshotKind, Snapshot>>;

const MAX_CACHED = 256;

/** Keeps snapshots in streams of their own, each written once. */
export class Snapshots {
  private readonly verified = new LruMap<string, Snapshot>(MAX_CACHED);

  constructor(
    private readonly log: EventLog,
    private readonly ring: KeyRing,
  ) {}

  /** Stores the snapshot of a body unless it is there already, and gives it. */
  async ensure(kind: PolicyKind, body: JsonObject): Promise<Snapshot> {
    const key = this.ring.active('snapshot-hmac');
    const snapshot = makeSnapshot(kind, body, (text) => ({ kid: key.kid, signature: hmacSha256Hex(key.secret, text) }));
    const known = await this.find(snapshot.snapshot_id);
    if (known) return known;
    const jobSeed = systemSeed('snapshots', randomUUID());
    try {
      await this.log.append(emptyHead(snapshotStream(snapshot.snapshot_id)), [snapshotCreated(snapshot)], {
        jobSeed,
        sequenceIndex: 0,
        actor: { id: 'system', role: 'system' },
        traceId: traceId(jobSeed),
      });
    } catch (error) {
      if (!(error instanceof VersionConflictError)) throw error;
    }
    return this.load(snapshot.snapshot_id);
  }

  /** @throws MaceError MISSING_SNAPSHOT, IntegrityError */
  async load(id: string): Promise<Snapshot> {
    const snapshot = await this.find(id);
    if (!snapshot) throw new MaceError('MISSING_SNAPSHOT', `snapshot ${id} is not stored`, { snapshot_id: id });
    return snapshot;
  }

  /** Reads and verifies a snapshot every time, whatever is in memory; for replay and integrity checks. */
  async loadFresh(id: string): Promise<Snapshot | null> {
    const { events } = await this.log.load(snapshotStream(id));
    const created = events[0];
    if (!created) return null;
    const snapshot = created.data as unknown as Snapshot;
    const fault =
      snapshot.snapshot_id === id ? snapshotFault(snapshot, this.verify) : `it holds snapshot ${snapshot.snapshot_id}`;
    if (fault !== null) throw new IntegrityError(snapshotStream(id), 0, fault);
    this.verified.set(id, snapshot);
    return snapshot;
  }

  private async find(id: string): Promise<Snapshot | null> {
    return this.verified.get(id) ?? this.loadFresh(id);
  }

  private readonly verify = (text: string, kid: string, signature: string): boolean => {
    const key = this.ring.verifying(kid, 'snapshot-hmac');
    return key !== undefined && equalInConstantTime(hmacSha256Hex(key.secret, text), signature);
  };
}
