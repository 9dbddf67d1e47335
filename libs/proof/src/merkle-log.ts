import {
  type EventStore,
  type LogPlaces,
  type Position,
  positionOf,
  type RowSignatures,
  START,
} from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import type { ErasedEvidence, ErasedKeys, ErasedRequest } from './erased-keys.js';
import type { FalseErasure, FollowedErasures } from './erasures/followed-erasures.js';
import { entryOf, leafOf } from './leaf-of-event.js';
import { compareKeptTree, FIRST } from './log/compare-kept-tree.js';
import type { Contradiction } from './log/contradictions.js';
import type { Cosigner, WitnessState } from './log/cosigner.js';
import { EventPlaces } from './log/event-places.js';
import { LogFaults } from './log/log-faults.js';
import { LogWaiters } from './log/log-waiters.js';
import { recordOf, SignedCheckpoints } from './log/signed-checkpoints.js';
import { type UnsignedRow, UnsignedRows } from './log/unsigned-rows.js';
import { LogFollower, RETRY_PERIODS } from './log-follower.js';
import type { LogKey, LogKeys } from './log-keys.js';
import { otherEvents } from './other-events.js';
import { PacedAnchor } from './paced-anchor.js';
import {
  type CheckpointRecord,
  COVERED_WITHIN_MS,
  type EventPlace,
  type EventProof,
  ProofLog,
  type StoredProof,
  type TreeComparison,
} from './proof-log.js';
import { LogGuardError } from './start-guard.js';
import type { ProofStore } from './store/proof-store.js';
import { WITHHELD } from './withheld.js';

export interface ProofState {
  readonly origin: string;
  /** Number of leaves, those included that no checkpoint covers yet. */
  readonly leaves: number;
  /** Why the log does not grow, or is not signed; null while it does. */
  readonly problem: string | null;
  /** Null where none is configured. */
  readonly witness: WitnessState | null;
  /** Whether a bundle made now would hold all that it should: a checkpoint, cosigned where there is a witness. */
  readonly ready_for_bundles: boolean;
}

export interface MerkleLogOptions {
  readonly events: EventStore;
  readonly store: ProofStore;
  readonly keys: LogKeys;
  /** By which a row is told from an event. */
  readonly signatures: Pick<RowSignatures, 'faultOf'>;
  /** Keeps the last note outside the store; what it throws is a fault that is shown and tried again. */
  readonly anchor: { write(note: string): Promise<void> };
  readonly cosigner?: Cosigner;
  readonly erasedKeys?: Pick<ErasedKeys, 'all'> &
    Partial<Pick<ErasedKeys, 'marks' | 'names' | 'evidence' | 'requests'>>;
  /** What puts erasures on that list. */
  readonly erasures?: Pick<FollowedErasures, 'follow' | 'onFalse'>;
  /** Whether it is on record that the events are not those that were signed; default false. */
  readonly isWithheld?: boolean;
  /** Whether nothing is signed of the log yet but its name; default false. */
  readonly isUnbegun?: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Told when something begins to fail, and null when it works again. */
  readonly onFault?: (fault: Error | null) => void;
  /** How long an event may be without a checkpoint, ms; default 1000. */
  readonly everyMs?: number;
  /** So many events make a checkpoint before that; default 256. */
  readonly batchEvents?: number;
}

const BEGIN_MS = 60_000;

/** The Merkle log of an event store, with its checkpoints. */
export class MerkleLog extends ProofLog {
  private readonly follower: LogFollower;
  private readonly checkpoints: SignedCheckpoints;
  private readonly places: EventPlaces;
  private readonly waiters: LogWaiters;
  private readonly faults: LogFaults;
  private readonly anchor: PacedAnchor;
  private readonly unsigned: UnsignedRows;

  constructor(private readonly options: MerkleLogOptions) {
    super();
    const { events, store, everyMs = 1000, batchEvents = 256 } = options;
    this.faults = new LogFaults(options.onFault);
    this.checkpoints = new SignedCheckpoints(options);
    if (options.isWithheld) this.withhold();
    const onFirst = (row: UnsignedRow): void => this.faults.tell('rows', new Error(stopOf(row)));
    this.unsigned = new UnsignedRows(options.signatures, onFirst);
    this.anchor = new PacedAnchor(
      options.anchor,
      (fault) => this.faults.tell('anchor', fault),
      RETRY_PERIODS * everyMs,
    );
    this.waiters = new LogWaiters(() => ({
      at: (needs) => (needs === 'leaf' ? this.follower.position : this.checkpoints.newest?.position),
      hurry: () => this.follower.hurry(),
      leaves: this.follower.leaves,
      problem: this.problem,
    }));
    this.places = new EventPlaces(events, store.reader, async (position) => {
      if (this.waiters.isReached(position, 'leaf')) return false;
      await this.waiters.until(position, 'leaf', COVERED_WITHIN_MS);
      return true;
    });
    this.follower = new LogFollower({
      events,
      store,
      everyMs,
      batchEvents,
      onPage: (page) => this.unsigned.look(page),
      splitAt: () => this.unsigned.first?.position ?? null,
      onEvents: async (read) => this.options.erasures?.follow(read),
      isWanted: () => this.waiters.isWanted,
      onFault: (fault) => this.faults.tell('leaves', fault),
      onLeaves: (size, root, position, isDue) => this.added(size, root, position, isDue),
    });
  }

  get origin(): string {
    return this.options.keys.origin;
  }

  /** Why the log does not grow, or is not signed; null while it does. */
  get problem(): string | null {
    return this.faults.problem;
  }

  state(): ProofState {
    const witness = this.options.cosigner?.state() ?? null;
    const { origin, problem } = this;
    return { origin, leaves: this.follower.leaves, problem, witness, ready_for_bundles: this.unready === null };
  }

  /** Why no bundle can be made that would hold all that it should; null while it can. */
  get unready(): string | null {
    const witness = this.options.cosigner?.state() ?? null;
    if (this.problem !== null) return this.problem;
    if (this.checkpoints.newest === null) return 'no checkpoint is signed yet';
    if (witness === null) return null;
    if (witness.problem !== null) return `the witness ${witness.problem}`;
    return witness.cosigned_size === null ? 'the witness has not cosigned yet' : null;
  }

  /** The events have been found to be other ones than were signed: no more is signed. Again is no error. */
  withhold(): void {
    this.faults.tell('tree', new Error(WITHHELD));
  }

  /** An admin has had the whole log verified and its tree is the one that was signed: it is signed again. */
  release(): void {
    if (!this.faults.of('tree')) return;
    this.faults.tell('tree', null);
    this.follower.hurry();
  }

  /** kids of data keys that were destroyed, in this log or in one that it was restored from. */
  erasedKeys(): readonly string[] {
    return this.options.erasedKeys?.all() ?? [];
  }

  /** Forensic evidence that went with a person, in this log or in one that it was restored from. */
  erasedEvidence(): readonly ErasedEvidence[] {
    return this.options.erasedKeys?.evidence?.() ?? [];
  }

  /** Deletions that were carried out, in this log or in one that it was restored from. */
  erasedRequests(): readonly ErasedRequest[] {
    return this.options.erasedKeys?.requests?.() ?? [];
  }

  /** The public keys that verify checkpoints, the one that signs now first. */
  publicKeys(): readonly LogKey[] {
    return this.options.keys.published();
  }

  /** Tells what there is by now, and what comes, once each. */
  onContradiction(listener: (found: Contradiction) => void): void {
    this.checkpoints.contradictions.onEach(listener);
  }

  /** Tells of each row that no checkpoint covers because nobody signed it, once each: what there is, and what comes. */
  onUnsigned(listener: (row: UnsignedRow) => void): void {
    this.unsigned.onMet(listener);
  }

  /** Tells of each event that says it destroyed something, and is none that may, once each: what there is, and what comes. */
  onFalseErasure(listener: (found: FalseErasure) => void): void {
    this.options.erasures?.onFalse(listener);
  }

  start(): void {
    this.checkpoints.offer();
    this.follower.start();
  }

  /**
   * Waits until the first event of a new log is signed for, and that is kept outside the store: before that no other event
   * may be appended, so that no start need take events for those of a log of which nothing was signed.
   * @throws LogGuardError where it could not be signed or kept
   */
  async begin(): Promise<void> {
    if (!this.options.isUnbegun) return;
    try {
      await this.current(BEGIN_MS);
    } catch (error) {
      throw new LogGuardError(`a new log could not be begun: ${(error as Error).message}`, null);
    }
    await this.anchor.settle();
    const fault = this.faults.of('anchor');
    if (fault)
      throw new LogGuardError(
        `a new log could not be begun: its first checkpoint could not be kept: ${fault.message}`,
        null,
      );
  }

  /** Adds what is left, signs it, and closes the file. */
  async close(): Promise<void> {
    try {
      await this.follower.close();
    } catch (error) {
      // The next start adds what is missing.
      this.faults.tell('leaves', error as Error);
    }
    await this.anchor.end();
    await this.options.cosigner?.close();
    await this.options.store.close();
  }

  latest(): CheckpointRecord | null {
    const { newest } = this.checkpoints;
    return newest && recordOf(newest);
  }

  async covering(position: string, timeoutMs: number): Promise<CheckpointRecord> {
    const wanted = positionOf(position);
    await this.reached(wanted, 'checkpoint', timeoutMs);
    return recordOf(this.checkpoints.newest!);
  }

  async comparable(position: string, timeoutMs: number): Promise<CheckpointRecord | null> {
    const wanted = positionOf(position);
    if (this.unsigned.first) {
      // Somebody may have put right what stood there.
      await this.rewind();
      await this.reached(wanted, 'leaf', timeoutMs);
    }
    if (!this.isRefused(wanted)) return this.covering(position, timeoutMs);
    await this.reached(wanted, 'leaf', timeoutMs);
    return null;
  }

  /**
   * A checkpoint over everything that was appended before the call; the newest there is while the log is not signed. A log
   * that has just been made has none for a moment.
   * @throws MaceError WAIT_TIMEOUT
   */
  async current(timeoutMs: number): Promise<CheckpointRecord> {
    const { newest } = this.checkpoints;
    if (newest && this.problem !== null) return recordOf(newest);
    const head = await this.options.events.head();
    return this.covering(head === START ? FIRST : head, timeoutMs);
  }

  async proofOf(eventId: string, checkpoint?: CheckpointRecord): Promise<EventProof | null> {
    const found = await this.places.of(eventId);
    if (!found) return null;
    const { leaf, stream, revision, position } = found;
    const against = checkpoint ?? (await this.covering(position, COVERED_WITHIN_MS));
    if (leaf >= against.size) return null;
    const { leaf: leaf_hash, path: inclusion } = this.options.store.reader.proof(leaf, against.size);
    return { event_id: eventId, stream, revision, leaf_index: leaf, leaf_hash, checkpoint: against, inclusion };
  }

  async proofAsStored(eventId: string): Promise<StoredProof | null> {
    const proof = await this.proofOf(eventId);
    const found = proof && (await this.places.of(eventId));
    if (!found) return null;
    if (leafOf(found.event).toString('hex') === proof.leaf_hash) return { ...proof, entry: entryOf(found.event) };
    const { stream, revision } = proof;
    throw new MaceError(
      'INTEGRITY_FAILURE',
      `event ${revision} of ${stream} (position ${found.position}) is stored otherwise than leaf ${proof.leaf_index}, which was made of it`,
    );
  }

  consistency(from: number, to: number): string[] {
    return this.options.store.reader.consistency(from, to);
  }

  async compare(size: number, root: string | null, places: LogPlaces | null): Promise<TreeComparison> {
    const { events, store } = this.options;
    const found = await compareKeptTree(store, events, { size, root, places }, this.checkpoints.newest);
    // What stood there once may stand there again: that does not answer what happened in between.
    if (found.kind === 'other') this.withhold();
    return found;
  }

  /**
   * Where the events stand that are other ones than the newest checkpoint was signed over, in order, a few at a time; none
   * where what is kept of the tree is itself not what was signed.
   * @throws what the stores throw
   */
  async *others(): AsyncGenerator<readonly EventPlace[]> {
    const { events, store } = this.options;
    const { newest } = this.checkpoints;
    if (newest) yield* otherEvents(store, events, newest);
  }

  /** Root over the first `size` leaves, lower-case hex. @throws RangeError */
  rootAt(size: number): string {
    return this.options.store.reader.root(size);
  }

  /** @throws MaceError WAIT_TIMEOUT where the log is far behind */
  async find(eventId: string): Promise<EventPlace | null> {
    const found = await this.places.of(eventId);
    if (!found) return null;
    const { stream, revision, position } = found;
    return { stream, revision, position };
  }

  private async added(size: number, root: string, position: Position, isDue: boolean): Promise<boolean> {
    this.waiters.wake('leaf', position);
    if (this.isRefused(position)) return true;
    const isNew = size > (this.checkpoints.newest?.size ?? 0);
    if (!isNew) this.faults.tell('checkpoint', null);
    if (!isNew || !(isDue || this.waiters.wants('checkpoint'))) return true;
    try {
      const { note } = await this.checkpoints.sign(size, root, position);
      await this.anchor.keep(note);
      this.faults.tell('checkpoint', null);
      this.waiters.wake('checkpoint', position);
      return true;
    } catch (error) {
      this.faults.tell('checkpoint', error as Error);
      return false;
    }
  }

  private async reached(position: Position, needs: 'leaf' | 'checkpoint', timeoutMs: number): Promise<void> {
    const isRefused = needs === 'checkpoint' && this.isRefused(position);
    if (isRefused && !this.waiters.isReached(position, needs)) throw this.waiters.late(position, needs);
    await this.waiters.until(position, needs, timeoutMs);
  }

  /** Whether no checkpoint is signed up to there. */
  private isRefused(position: Position): boolean {
    return this.faults.of('tree') !== undefined || this.unsigned.isWithin(position);
  }

  /** Reads once more what no checkpoint covers. */
  private async rewind(): Promise<void> {
    await this.follower.rewind(this.checkpoints.newest?.size ?? 0, () => {
      this.unsigned.forget();
      this.faults.tell('rows', null);
    });
  }
}

function stopOf({ stream, revision, position, reason }: UnsignedRow): string {
  return `event ${revision} of ${stream} (position ${position}) is not what was signed: ${reason}. No checkpoint is signed over it, nor behind it, until it is as it was`;
}
