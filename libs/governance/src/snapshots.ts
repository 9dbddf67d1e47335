import { randomUUID } from 'node:crypto';

import { retiredKeys } from '#lib/access';
import {
  comparePositions,
  emptyHead,
  type EventLog,
  FirstEvents,
  IntegrityError,
  LruMap,
  type Position,
  type RecordedEvent,
  VersionConflictError,
} from '#lib/event-store';
import {
  failure,
  equalInConstantTime,
  hmacSha256Hex,
  MaceError,
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
import type { SnapshotFault } from './domain/snapshot-halt.js';
import { provenanceFault, SNAPSHOT_ACTOR, snapshotSeed } from './domain/snapshot-provenance.js';
import { SnapshotHalts } from './snapshot-halts.js';
import { snapshotStreamState, type SnapshotStreamState } from './snapshot-stream.js';

/** The snapshots a job runs on. */
export type SnapshotSet = Readonly<Record<SnapshotKind, Snapshot>>;

/** A snapshot with the record that it was verified from. */
interface Proof {
  readonly recorded: RecordedEvent;
  readonly snapshot: Snapshot;
}

const PROOFS_BYTES = 32 * 1024 * 1024;
/** Text and what was parsed of it. */
const BYTES_OF_A_CHARACTER = 4;
/** Why a snapshot cannot be read. */
const LOST: readonly string[] = ['INTEGRITY_FAILURE', 'MISSING_SNAPSHOT'];

/** Keeps snapshots in streams of their own, each written once. */
export class Snapshots {
  readonly halts: SnapshotHalts;
  private readonly told = new Set<string>();
  private readonly proofs = new LruMap<string, Proof>(
    PROOFS_BYTES,
    ({ recorded: { text } }) => BYTES_OF_A_CHARACTER * text.length,
  );
  private readonly firsts: FirstEvents;

  constructor(
    private readonly log: EventLog,
    private readonly ring: KeyRing,
    /** Told of a snapshot that was found damaged; it is halted by then. */
    private readonly onDamage: (fault: SnapshotFault) => void = () => undefined,
  ) {
    this.halts = new SnapshotHalts(log);
    this.firsts = new FirstEvents(log.store);
  }

  /** Stores the snapshot of a body unless it is there already, and gives it. */
  async ensure(kind: PolicyKind, body: JsonObject): Promise<Snapshot> {
    const snapshot = this.make(kind, body);
    const known = await this.find(snapshot.snapshot_id).catch(async (error: unknown) => {
      if (!(error instanceof IntegrityError)) throw error;
      await this.haltDamaged(snapshot.snapshot_id, error);
      // Its id follows from its body: what it says is known, whatever is stored. No job begins on it.
      return snapshot;
    });
    if (known) return known;
    const jobSeed = snapshotSeed(randomUUID());
    try {
      await this.log.append(emptyHead(snapshotStream(snapshot.snapshot_id)), [snapshotCreated(snapshot)], {
        jobSeed,
        sequenceIndex: 0,
        actor: SNAPSHOT_ACTOR,
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
    if (!snapshot) throw missing(id);
    return snapshot;
  }

  /**
   * As `load`; one that is stored otherwise than it was signed is halted, and no job begins on it any more.
   * @throws MaceError MISSING_SNAPSHOT, INTEGRITY_FAILURE
   */
  async loadOrHalt(id: string): Promise<Snapshot> {
    try {
      return await this.load(id);
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      await this.haltDamaged(id, error);
      throw new MaceError('INTEGRITY_FAILURE', `snapshot ${id} does not verify: ${error.reason}`, { snapshot_id: id });
    }
  }

  /**
   * As `loadOrHalt`; of one that is damaged or not stored any more, what it said where one of these bodies proves it: its
   * id follows from its body. Null where none does. No job begins on it in either case.
   */
  async loadProven(
    kind: PolicyKind,
    id: string,
    bodies: () => Promise<readonly JsonObject[]>,
  ): Promise<Snapshot | null> {
    try {
      return await this.loadOrHalt(id);
    } catch (error) {
      if (!(error instanceof MaceError && LOST.includes(error.code))) throw error;
      const made = (await bodies()).map((body) => this.make(kind, body));
      return made.find(({ snapshot_id }) => snapshot_id === id) ?? null;
    }
  }

  /** A snapshot of a body, as it would be stored. */
  make(kind: PolicyKind, body: JsonObject): Snapshot {
    const key = this.ring.active('snapshot-hmac');
    return makeSnapshot(kind, body, (text) => ({ kid: key.kid, signature: hmacSha256Hex(key.secret, text) }));
  }

  /** Puts the flag on a snapshot that does not verify, and tells who listens, once. */
  private async haltDamaged(snapshot_id: string, { revision, reason }: IntegrityError): Promise<void> {
    const fault = { snapshot_id, stream: snapshotStream(snapshot_id), revision, reason };
    await this.halts.halt(fault);
    if (this.told.has(snapshot_id)) return;
    this.told.add(snapshot_id);
    this.onDamage(fault);
  }

  /**
   * Reads a snapshot every time, whatever is in memory; for replay and integrity checks. A record that is byte for byte
   * one that this process verified before is not verified again: the same bytes under the same keys prove the same.
   * @param before position of an event that was written after it
   * @throws IntegrityError
   */
  async loadFresh(id: string, before?: Position): Promise<Snapshot | null> {
    const recorded = await this.firsts.of(snapshotStream(id));
    if (!recorded) return null;
    if (before !== undefined && comparePositions(recorded.position, before) >= 0)
      throw new IntegrityError(snapshotStream(id), 0, 'it was stored after what stands on it');
    const proof = this.proofs.get(id);
    if (proof && sameRecord(proof.recorded, recorded)) return proof.snapshot;
    const snapshot = this.verifiedSnapshot(id, recorded);
    this.proofs.set(id, { recorded, snapshot });
    return snapshot;
  }

  /**
   * As `loadFresh`, for a job that was refused none of its snapshots when it began. Where the store would be asked for
   * each by itself, what this process verified is not read again: an event there is never changed, and one that is taken
   * away later is missed by the replay.
   * @throws IntegrityError
   */
  async loadPinned(id: string): Promise<Snapshot | null> {
    return this.log.store.readFirst ? this.loadFresh(id) : this.find(id);
  }

  /**
   * Judges a snapshot and the flags behind it from what is stored, and from nothing that is in memory.
   * @throws MaceError MISSING_SNAPSHOT
   */
  async stateOf(id: string): Promise<SnapshotStreamState> {
    const { events } = await this.log.store.readStream(snapshotStream(id));
    if (events.length === 0) throw missing(id);
    const retired = await retiredKeys(this.log, 'event-hmac');
    return snapshotStreamState(this.log.codec, events, (first) => this.faultOf(id, first), retired);
  }

  /** What is wrong with a record that should be this snapshot: its chain link, its signatures, its id; null where nothing is. */
  faultOf(id: string, recorded: RecordedEvent): string | null {
    try {
      this.verifiedSnapshot(id, recorded);
      return null;
    } catch (error) {
      if (error instanceof IntegrityError) return error.reason;
      throw error;
    }
  }

  /** Its first event is the snapshot; what follows are flags on it, which SnapshotHalts reads. */
  private verifiedSnapshot(id: string, recorded: RecordedEvent): Snapshot {
    const { event } = this.log.codec.open(recorded, emptyHead(snapshotStream(id)).lastHash);
    const snapshot = event.data as unknown as Snapshot;
    const fault =
      (snapshot.snapshot_id === id ? null : `it holds snapshot ${snapshot.snapshot_id}`) ??
      snapshotFault(snapshot, this.verify) ??
      provenanceFault(event.metadata);
    if (fault !== null) throw new IntegrityError(snapshotStream(id), 0, fault);
    return snapshot;
  }

  private async find(id: string): Promise<Snapshot | null> {
    return this.proofs.get(id)?.snapshot ?? this.loadFresh(id);
  }

  private readonly verify = (text: string, kid: string, signature: string): boolean => {
    const key = this.ring.verifying(kid, 'snapshot-hmac');
    return key !== undefined && equalInConstantTime(hmacSha256Hex(key.secret, text), signature);
  };
}

function missing(id: string): MaceError {
  return failure('MISSING_SNAPSHOT', 'not_stored', { snapshot_id: id }, { snapshot_id: id });
}

function sameRecord(a: RecordedEvent, b: RecordedEvent): boolean {
  return a.text === b.text && a.id === b.id && a.type === b.type && a.revision === b.revision && a.stream === b.stream;
}
