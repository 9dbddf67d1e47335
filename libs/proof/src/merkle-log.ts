import {
  comparePositions,
  type EventStore,
  type Position,
  positionOf,
  type RecordedEvent,
  START,
} from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import { LogFollower } from './log-follower.js';
import type { ErasedEvidence, ErasedKeys, ErasedRequest } from './erased-keys.js';
import { mendIndex } from './kept-index.js';
import { isWhole, mend } from './kept-tree.js';
import { entryOf, leafOf } from './leaf-of-event.js';
import type { LogKey, LogKeys } from './log-keys.js';
import { otherEvents } from './other-events.js';
import { PacedAnchor } from './paced-anchor.js';
import {
  type CheckpointRecord,
  type EventPlace,
  type EventProof,
  ProofLog,
  type StoredProof,
  type TreeComparison,
} from './proof-log.js';
import { LogGuardError } from './start-guard.js';
import type { StoredCheckpoint } from './store/proof-messages.js';
import type { Candidate } from './store/proof-reader.js';
import type { ProofStore } from './store/proof-store.js';
import { WITHHELD } from './withheld.js';

/** What a cosigner needs beside the checkpoint. */
export interface OfferTools {
  /** RFC 9162, lower-case hex. */
  readonly consistency: (from: number, to: number) => string[];
  /** Takes the note with the signatures that were added to it. */
  readonly keep: (note: string) => Promise<void>;
  /** kids of data keys that were destroyed, names of evidence that was deleted. */
  readonly erasedKeys: () => readonly string[];
  /** Marks of others of which no kid is known any more; none where absent. */
  readonly erasedMarks?: () => readonly string[];
  /** Whether the log had that root at that size; null while that cannot be told yet. */
  readonly holds: (size: number, root: string) => Promise<boolean | null>;
  /** Told that the log has signed something that it does not hold. */
  readonly contradicted: (found: Contradiction) => void;
}

/** What the log's own key has signed, and the log does not hold: another history of it was shown to somebody. */
export interface Contradiction {
  readonly reason: string;
  /** Number of events that were signed for. */
  readonly size: number;
}

export interface WitnessState {
  readonly url: string;
  readonly name: string;
  /** Number of leaves that it has cosigned last; null before it has. */
  readonly cosigned_size: number | null;
  /** Why it does not cosign; null while it does. */
  readonly problem: string | null;
}

/** Who is shown each checkpoint and may add signatures to it. */
export interface Cosigner {
  /** Returns at once. */
  offer(checkpoint: StoredCheckpoint, tools: OfferTools): void;
  state(): WitnessState;
  close(): Promise<void>;
}

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
  /** Keeps the last note outside the store; what it throws is a fault that is shown and tried again. */
  readonly anchor: { write(note: string): Promise<void> };
  readonly cosigner?: Cosigner;
  readonly erasedKeys?: Pick<ErasedKeys, 'all' | 'follow'> &
    Partial<Pick<ErasedKeys, 'marks' | 'names' | 'evidence' | 'requests'>>;
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

/**
 * What may fail by itself: adding leaves, signing and keeping checkpoints, keeping the last one beside the keys; and that
 * the events are still those of the leaves, as far as somebody has looked.
 */
type Part = 'leaves' | 'checkpoint' | 'anchor' | 'tree';

interface PlacedEvent extends EventPlace {
  readonly leaf: number;
  readonly event: RecordedEvent;
}

interface Waiter {
  readonly position: Position;
  readonly needs: 'leaf' | 'checkpoint';
  readonly wake: () => void;
}

/** Of the first event of any log. */
const FIRST = '1';
const FIND_TIMEOUT_MS = 10_000;
const BEGIN_MS = 60_000;

/** The Merkle log of an event store, with its checkpoints. */
export class MerkleLog extends ProofLog {
  private readonly follower: LogFollower;
  private readonly waiters = new Set<Waiter>();
  private newest: StoredCheckpoint | null;
  private readonly faults = new Map<Part, Error>();
  private readonly anchor: PacedAnchor;
  private readonly contradictions: Contradiction[] = [];
  private readonly contradictionListeners: ((found: Contradiction) => void)[] = [];

  constructor(private readonly options: MerkleLogOptions) {
    super();
    const { events, store, everyMs = 1000, batchEvents = 256 } = options;
    this.newest = store.reader.latest();
    if (options.isWithheld) this.withhold();
    this.anchor = new PacedAnchor(options.anchor, (fault) => this.tell('anchor', fault));
    this.follower = new LogFollower({
      events,
      store,
      everyMs,
      batchEvents,
      onEvents: async (read) => this.options.erasedKeys?.follow(read),
      isWanted: () => this.waiters.size > 0,
      onFault: (fault) => this.tell('leaves', fault),
      onLeaves: (size, root, position, isDue) => this.added(size, root, position, isDue),
    });
  }

  get origin(): string {
    return this.options.keys.origin;
  }

  /** Why the log does not grow, or is not signed; null while it does. */
  get problem(): string | null {
    const [fault] = this.faults.values();
    return fault?.message ?? null;
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
    if (this.newest === null) return 'no checkpoint is signed yet';
    if (witness === null) return null;
    if (witness.problem !== null) return `the witness ${witness.problem}`;
    return witness.cosigned_size === null ? 'the witness has not cosigned yet' : null;
  }

  /** The events have been found to be other ones than were signed: no more is signed. Again is no error. */
  withhold(): void {
    this.tell('tree', new Error(WITHHELD));
  }

  /** An admin has had the whole log verified and its tree is the one that was signed: it is signed again. */
  release(): void {
    if (!this.faults.has('tree')) return;
    this.tell('tree', null);
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
    this.contradictions.forEach(listener);
    this.contradictionListeners.push(listener);
  }

  start(): void {
    if (this.newest) this.offer(this.newest);
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
      throw new LogGuardError(`a new log could not be begun: ${(error as Error).message}`);
    }
    await this.anchor.settle();
    const fault = this.faults.get('anchor');
    if (fault)
      throw new LogGuardError(`a new log could not be begun: its first checkpoint could not be kept: ${fault.message}`);
  }

  /** Adds what is left, signs it, and closes the file. */
  async close(): Promise<void> {
    try {
      await this.follower.close();
    } catch (error) {
      // The next start adds what is missing.
      this.tell('leaves', error as Error);
    }
    await this.anchor.settle();
    await this.options.cosigner?.close();
    await this.options.store.close();
  }

  latest(): CheckpointRecord | null {
    return this.newest && recordOf(this.newest);
  }

  async covering(position: string, timeoutMs: number): Promise<CheckpointRecord> {
    const wanted = positionOf(position);
    await this.reached(wanted, 'checkpoint', timeoutMs);
    return recordOf(this.newest!);
  }

  async comparable(position: string, timeoutMs: number): Promise<CheckpointRecord | null> {
    if (!this.faults.has('tree')) return this.covering(position, timeoutMs);
    await this.reached(positionOf(position), 'leaf', timeoutMs);
    return null;
  }

  /**
   * A checkpoint over everything that was appended before the call; the newest there is while the log is not signed. A log
   * that has just been made has none for a moment.
   * @throws MaceError WAIT_TIMEOUT
   */
  async current(timeoutMs: number): Promise<CheckpointRecord> {
    if (this.newest && this.problem !== null) return recordOf(this.newest);
    const head = await this.options.events.head();
    return this.covering(head === START ? FIRST : head, timeoutMs);
  }

  async proofOf(eventId: string, checkpoint?: CheckpointRecord): Promise<EventProof | null> {
    const found = await this.placed(eventId);
    if (!found) return null;
    const { leaf, stream, revision, position } = found;
    const against = checkpoint ?? (await this.covering(position, FIND_TIMEOUT_MS));
    if (leaf >= against.size) return null;
    const { leaf: leaf_hash, path: inclusion } = this.options.store.reader.proof(leaf, against.size);
    return { event_id: eventId, stream, revision, leaf_index: leaf, leaf_hash, checkpoint: against, inclusion };
  }

  async proofAsStored(eventId: string): Promise<StoredProof | null> {
    const proof = await this.proofOf(eventId);
    const found = proof && (await this.placed(eventId));
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

  async compare(size: number, root: string | null): Promise<TreeComparison> {
    const found = await this.compared(size, root);
    // What stood there once may stand there again: that does not answer what happened in between.
    if (found.kind === 'other') this.withhold();
    return found;
  }

  private async compared(size: number, root: string | null): Promise<TreeComparison> {
    const { events, store } = this.options;
    if (root === null || size > store.reader.size()) return { kind: 'other' };
    // A file that was made again from the events was held against what was signed then.
    const signed = this.newest ?? { size, root };
    if (await isWhole(store, [{ size, root }, signed])) return this.comparedIndex(FIRST, 0);
    const mended = await mend(store, events, signed);
    // What was walked need not be what stands there now.
    if (!mended || mended.position === null || store.reader.root(size) !== root) return { kind: 'other' };
    return this.comparedIndex(mended.position, mended.leaves);
  }

  /** @param mended how many leaves were made again already, from that position on */
  private async comparedIndex(position: string, mended: number): Promise<TreeComparison> {
    const found = await mendIndex(this.options.store);
    if (mended === 0 && !found) return { kind: 'same' };
    const first = mended > 0 ? position : (found?.position ?? position);
    return { kind: 'mended', leaves: Math.max(mended, found?.leaves ?? 0), position: first };
  }

  /**
   * Where the events stand that are other ones than the newest checkpoint was signed over, in order, a few at a time; none
   * where what is kept of the tree is itself not what was signed.
   * @throws what the stores throw
   */
  async *others(): AsyncGenerator<readonly EventPlace[]> {
    const { events, store } = this.options;
    if (this.newest) yield* otherEvents(store, events, this.newest);
  }

  /** Root over the first `size` leaves, lower-case hex. @throws RangeError */
  rootAt(size: number): string {
    return this.options.store.reader.root(size);
  }

  /** @throws MaceError WAIT_TIMEOUT where the log is far behind */
  async find(eventId: string): Promise<EventPlace | null> {
    const found = await this.placed(eventId);
    if (!found) return null;
    const { stream, revision, position } = found;
    return { stream, revision, position };
  }

  private async placed(eventId: string): Promise<PlacedEvent | null> {
    if (!/^[0-9a-f]{64}$/.test(eventId)) return null;
    const known = await this.indexed(eventId);
    if (known) return known;
    const { events } = this.options;
    const head = await events.head();
    if (comparePositions(head, this.follower.position) <= 0) return null;
    await this.reached(head, 'leaf', FIND_TIMEOUT_MS);
    return this.indexed(eventId);
  }

  private async indexed(eventId: string): Promise<PlacedEvent | null> {
    for (const candidate of this.options.store.reader.candidates(eventId)) {
      const event = await this.eventAt(candidate);
      if (event?.id !== eventId) continue;
      const { stream, revision, position } = event;
      return { leaf: candidate.leaf, stream, revision, position, event };
    }
    return null;
  }

  private async eventAt({ position, after }: Candidate) {
    const [event] = (await this.options.events.readAll({ after, limit: 1 })).events;
    return event?.position === position ? event : undefined;
  }

  private async added(size: number, root: string, position: Position, isDue: boolean): Promise<void> {
    this.wake('leaf', position);
    if (this.faults.has('tree')) return;
    const isWanted = [...this.waiters].some(({ needs }) => needs === 'checkpoint');
    if (size === (this.newest?.size ?? 0) || !(isDue || isWanted)) return;
    try {
      await this.checkpoint(size, root, position);
      this.tell('checkpoint', null);
      this.wake('checkpoint', position);
    } catch (error) {
      this.tell('checkpoint', error as Error);
    }
  }

  private async checkpoint(size: number, root: string, position: Position): Promise<void> {
    const { keys, store, now } = this.options;
    const made: StoredCheckpoint = {
      number: (this.newest?.number ?? 0) + 1,
      origin: keys.origin,
      size,
      position,
      root,
      note: keys.sign(size, Buffer.from(root, 'hex')),
      made_at: new Date(now()).toISOString(),
      consistency: store.reader.consistency(this.newest?.size ?? 0, size),
    };
    await store.keep(made);
    this.newest = made;
    this.offer(made);
    await this.anchor.keep(made.note);
  }

  private offer(checkpoint: StoredCheckpoint): void {
    this.options.cosigner?.offer(checkpoint, {
      consistency: (from, to) => this.consistency(from, to),
      keep: (note) => this.cosigned(checkpoint, note),
      erasedKeys: () => this.options.erasedKeys?.names?.() ?? this.erasedKeys(),
      erasedMarks: () => this.options.erasedKeys?.marks?.() ?? [],
      holds: (size, root) => this.holds(size, root),
      contradicted: (found) => this.contradicted(found),
    });
  }

  private async holds(size: number, root: string): Promise<boolean | null> {
    const { events, store } = this.options;
    if (size <= store.reader.size()) return store.reader.root(size) === root;
    const count = await events.count?.(START);
    return count !== undefined && count < size ? false : null;
  }

  private contradicted(found: Contradiction): void {
    if (this.contradictions.some(({ reason }) => reason === found.reason)) return;
    this.contradictions.push(found);
    for (const listener of this.contradictionListeners) listener(found);
  }

  private async cosigned(checkpoint: StoredCheckpoint, note: string): Promise<void> {
    await this.options.store.cosign(checkpoint.number, note);
    if (this.newest?.number === checkpoint.number) this.newest = { ...checkpoint, note };
  }

  private async reached(position: Position, needs: Waiter['needs'], timeoutMs: number): Promise<void> {
    if (this.isReached(position, needs)) return;
    if (needs === 'checkpoint' && this.faults.has('tree'))
      throw new MaceError('WAIT_TIMEOUT', this.lateness(position, needs), { leaves: this.follower.leaves });
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        this.waiters.delete(waiter);
      };
      const timer = setTimeout(() => {
        leave();
        reject(new MaceError('WAIT_TIMEOUT', this.lateness(position, needs), { leaves: this.follower.leaves }));
      }, timeoutMs);
      const waiter: Waiter = {
        position,
        needs,
        wake: () => {
          leave();
          resolve();
        },
      };
      this.waiters.add(waiter);
      this.follower.hurry();
    });
  }

  private lateness(position: Position, needs: Waiter['needs']): string {
    const what = needs === 'leaf' ? 'the Merkle log' : 'a checkpoint';
    const why = this.problem === null ? '' : `: ${this.problem}`;
    return `${what} has not reached position ${position} yet${why}`;
  }

  private isReached(position: Position, needs: Waiter['needs']): boolean {
    const at = needs === 'leaf' ? this.follower.position : this.newest?.position;
    return at !== undefined && comparePositions(position, at) <= 0;
  }

  private wake(needs: Waiter['needs'], at: Position): void {
    for (const waiter of [...this.waiters]) {
      if (waiter.needs === needs && comparePositions(waiter.position, at) <= 0) waiter.wake();
    }
  }

  private tell(part: Part, fault: Error | null): void {
    if (this.faults.get(part)?.message === fault?.message) return;
    if (fault) this.faults.set(part, fault);
    else this.faults.delete(part);
    this.options.onFault?.(fault);
  }
}

function recordOf({ origin, size, root, note, made_at }: StoredCheckpoint): CheckpointRecord {
  return { origin, size, root, note, made_at };
}
