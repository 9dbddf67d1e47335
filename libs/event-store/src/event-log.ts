import { eventId, GENESIS_HASH, sha256Hex, type DomainEvent, type Provenance } from '#lib/kernel';

import { Bulkhead } from './bulkhead.js';
import type { GuardedStateCache } from './cache/guarded-state-cache.js';
import { MemoryStateCache } from './cache/memory-state-cache.js';
import { PastStates } from './cache/past-states.js';
import { sizeOf } from './cache/size-of.js';
import type { Folded } from './cache/state-cache.js';
import { emptyHead, type EncodedEvent, type EventCodec, type StreamHead } from './codec/codec.js';
import { IntegrityError } from './codec/integrity-error.js';
import type { LoggedEvent } from './codec/logged-event.js';
import { sizeInAppend, splitBySize } from './append-size.js';
import { nextSlice, sliceIsOver } from './event-loop.js';
import { KeyedQueue } from './keyed-queue.js';
import {
  AppendTooLargeError,
  comparePositions,
  DuplicateEventError,
  type EventStore,
  type NonEmpty,
  type Position,
  type RecordedEvent,
  StorageFullError,
  StoreUnavailableError,
  type StreamSlice,
} from './port.js';
import { EVENT_OVERHEAD_BYTES } from './room/principal-usage.js';
import { type RoomClaim, type StorageRoom, UNLIMITED } from './room/storage-room.js';
import { StreamReads } from './stream-reads.js';

/** How a stream's events become the state that decisions are made on; pure. */
export interface Fold<S> {
  /** Unique among all folds of a process; part of the cache key. */
  readonly name: string;
  readonly initial: S;
  evolve(state: S, event: LoggedEvent): S;
  /** Whether evolve sees personal fields in plain. Cached states then hold them, so only where a decision needs them. */
  readonly personal?: 'stored' | 'plain';
}

/**
 * Of commands whose decision rests on nothing in their stream: of the stream, its last event alone is read, and verified
 * by itself. So they cost the same however long it is.
 */
export const NO_STATE: Fold<null> = { name: 'no-state', initial: null, evolve: () => null };

export interface Executed<S> extends Folded<S> {
  /** What was appended; empty where the decision was to do nothing. */
  readonly events: readonly LoggedEvent[];
}

export interface AppendOutcome {
  readonly head: StreamHead;
  readonly events: readonly LoggedEvent[];
  /** True where a first attempt, whose answer was lost, had written them. */
  readonly repeated: boolean;
}

export interface Command<S> {
  readonly stream: string;
  readonly fold: Fold<S>;
  readonly provenance: Provenance;
  /** Pure; called again on fresh state after a conflict. */
  decide(state: S, head: StreamHead): readonly DomainEvent[];
  /** True where what it appends serves a command that protects, whatever its types say. */
  readonly protects?: boolean;
}

/** The stream moved on while a decision was made; decide again on fresh state. */
export class VersionConflictError extends Error {
  constructor(
    readonly stream: string,
    readonly version: number,
  ) {
    super(`stream ${stream} has ${version} events by now`);
    this.name = 'VersionConflictError';
  }
}

/** An event id is stored with other content than is being written. */
export class DifferentBodyError extends Error {
  constructor(readonly stream: string) {
    super(`stream ${stream} holds these event ids with another body`);
    this.name = 'DifferentBodyError';
  }
}

/**
 * What was decided is stored, and what follows from it could not be made: nothing is to be written again, and nobody may be
 * told that nothing was. `cause` says why.
 */
export class StoredError extends Error {
  constructor(
    readonly stream: string,
    override readonly cause: unknown,
  ) {
    super(`it is stored in ${stream}, and what follows from it could not be made: ${(cause as Error).message}`);
    this.name = 'StoredError';
  }
}

const MAX_DECISIONS = 32;
const STATES_BYTES = 48 * 1024 * 1024;
const PAST_STATES_BYTES = 16 * 1024 * 1024;
/** Events that are read at once: of the largest values some two MiB. */
const PAGE = 128;
/** Events that are read without a break: those who read short streams side by side go on to ask for more side by side. */
const UNBROKEN = 64;
/** What an event has beside its data, as it is kept in a state. */
const METADATA_BYTES = 4096;
/** Long streams of which a page each is in memory; further ones wait. */
const PAGES_AT_ONCE = 8;
/** Histories that are read at once, for one principal, and that wait for one. */
const HISTORIES = { inAll: 8, ofOne: 2, waiting: 256 };

/** Most who append ask only for the head: the events are made when somebody looks. */
class Outcome implements AppendOutcome {
  private logged: readonly LoggedEvent[] | undefined;

  constructor(
    readonly head: StreamHead,
    /** Of the last of them. */
    readonly position: Position,
    readonly repeated: boolean,
    private readonly make: () => readonly LoggedEvent[],
  ) {}

  get events(): readonly LoggedEvent[] {
    return (this.logged ??= this.make());
  }
}

type PartsOf = (events: readonly EncodedEvent[]) => readonly NonEmpty<EncodedEvent>[];

interface Reading {
  /** Default `stored`. */
  readonly personal?: 'stored' | 'plain';
  /** Only events up to this position; all where absent. */
  readonly upTo?: Position;
}

/**
 * @param hash of the event: the next one's prev_hash
 * @returns `enough` where no more is read
 */
type Take = (event: LoggedEvent, hash: string) => 'enough' | void;

/** Which keys of events sign no more. */
export interface Signers {
  /** Whether a key had been retired before it signed what stands at a position: then somebody else signed it. */
  wasRetired(kid: string, position: Position): boolean | Promise<boolean>;
}

/** Streams as domain code sees them: load, fold, decide, append. */
export class EventLog {
  private readonly states = new MemoryStateCache(STATES_BYTES);
  private readonly past = new PastStates(PAST_STATES_BYTES);
  private readonly folding = new KeyedQueue();
  private readonly pages = new Bulkhead('pages', { inAll: PAGES_AT_ONCE, ofOne: 1 });
  private readonly shared = new Map<string, GuardedStateCache>();
  private readonly queue = new KeyedQueue();
  private readonly reads: StreamReads;
  /** Reads of what may be long, for who asks: states as of a position, differences, histories that are read whole. */
  readonly histories = new Bulkhead('reads of histories', HISTORIES);
  /** How often a state was asked for, by whether it lay in this process as it is by now. */
  readonly stateReads = { hits: 0, misses: 0 };

  /**
   * @param signers by default any key of the ring may have signed at any time
   * @param room by default there is no limit
   */
  constructor(
    readonly store: EventStore,
    readonly codec: EventCodec,
    private readonly signers: Signers = { wasRetired: () => false },
    private readonly room: StorageRoom = UNLIMITED,
  ) {
    this.reads = new StreamReads(store);
  }

  /**
   * Keeps the states of a fold in a further cache, behind this process's own: asked where that one has not the newest.
   * Only what is read goes by it; who decides and appends trusts nothing from outside the log.
   */
  shareStates(fold: Pick<Fold<unknown>, 'name' | 'personal'>, cache: GuardedStateCache): void {
    if (fold.personal === 'plain') throw new TypeError(`states of ${fold.name} hold personal fields in plain`);
    this.shared.set(fold.name, cache);
  }

  /**
   * Drops every state that is kept, here and in the caches that are shared; each is folded again where it is asked for.
   * Settles once none is kept that was before the call, also where a shared cache is out of reach.
   */
  async forgetStates(): Promise<void> {
    this.states.purge();
    this.past.purge();
    await Promise.all([...new Set(this.shared.values())].map((cache) => cache.purge()));
  }

  /**
   * Every event of a stream, chain and signatures verified. All of them are held at once: for streams that something
   * bounds, as a job's or a request's. `each` reads any.
   * @throws IntegrityError
   */
  async load(
    stream: string,
    options: { personal?: 'stored' | 'plain' } = {},
  ): Promise<{ head: StreamHead; events: LoggedEvent[] }> {
    const events: LoggedEvent[] = [];
    const head = await this.each(stream, options, (event) => void events.push(event));
    return { head, events };
  }

  /**
   * Tells the events of a stream one after another, chain and signatures verified, and holds a page of them at a time.
   * @param from revision to begin at; of the event before it the text alone counts, as what the chain goes on from
   * @throws IntegrityError
   */
  async each(stream: string, { from = 0, ...reading }: Reading & { from?: number }, take: Take): Promise<StreamHead> {
    if (from === 0) return this.read(emptyHead(stream), reading, take);
    const [before] = (await this.reads.slice(stream, from - 1, 1)).events;
    const lastHash = before ? sha256Hex(before.text) : GENESIS_HASH;
    return this.read({ stream, version: from, lastHash }, reading, take);
  }

  /** The event that a stream begins with, as it is stored; nothing of it is verified. */
  async first(stream: string): Promise<RecordedEvent | undefined> {
    return (await this.reads.slice(stream, 0, 1)).events[0];
  }

  /**
   * Part of a stream, as it is stored; nothing of it is verified. Parts that are asked for side by side are one question,
   * where the store can.
   * @param limit 1 to 4096
   */
  slice(stream: string, from: number, limit: number): Promise<StreamSlice> {
    return this.reads.slice(stream, from, limit);
  }

  /** Number of events in a stream, as of every append acknowledged before the call; asked for together, as parts are. */
  version(stream: string): Promise<number> {
    return this.reads.version(stream);
  }

  /**
   * The state of a stream as of every append acknowledged before the call. A state in memory is used only after its
   * version was confirmed as the stream's; what is missing is read, verified and folded.
   */
  fold<S>(stream: string, fold: Fold<S>): Promise<Folded<S>> {
    return this.foldWith(stream, fold, this.shared.get(fold.name));
  }

  /**
   * The state of a stream after its last event up to a position. States on the way are kept, so that the next one is
   * folded from near it. Those of one stream that are asked for side by side follow one another.
   * @throws IntegrityError
   */
  foldAsOf<S>(stream: string, fold: Fold<S>, limit: Position): Promise<Folded<S>> {
    const key = keyOf(fold, stream);
    // Apart from the newest state, for which commands wait.
    return this.folding.run(`as of ${key}`, async () => {
      const from = (await this.nearest(key, stream, limit)) as Folded<S> | undefined;
      let state = from ? from.state : fold.initial;
      const head = await this.read(from?.head ?? emptyHead(stream), { ...fold, upTo: limit }, (event, lastHash) => {
        state = fold.evolve(state, event);
        const version = event.revision + 1;
        if (PastStates.isKept(version))
          this.past.offer(key, { state, head: { stream, version, lastHash }, position: event.position });
      });
      return { state, head };
    });
  }

  /** What `fold` would answer, where it would ask nobody; undefined where it must. */
  foldKnown<S>(stream: string, fold: Fold<S>): Folded<S> | undefined {
    const version = this.store.knownVersion?.(stream);
    if (version === undefined) return undefined;
    const cached = this.states.get(keyOf(fold, stream)) as Folded<S> | undefined;
    if (cached?.head.version !== version) return undefined;
    this.stateReads.hits++;
    return cached;
  }

  /**
   * Decides on fresh state and appends what was decided, again after each conflict, a bounded number of times.
   * Commands of one process on one stream take turns, so that they do not conflict with each other.
   * @returns with a `state` that throws StoredError where it could not be made of what was stored
   * @throws VersionConflictError when other writers won every time; DifferentBodyError and DuplicateEventError where
   * the ids are taken by what no fresh decision can see; AppendTooLargeError, and nothing is stored, for a decision that
   * does not fit into one append
   */
  execute<S>(command: Command<S>): Promise<Executed<S>> {
    return this.queue.run(command.stream, async () => {
      for (let attempt = 1; ; attempt++) {
        const folded = await this.foldWith(command.stream, command.fold, undefined);
        const decided = command.decide(folded.state, folded.head);
        if (decided.length === 0) return { state: folded.state, head: folded.head, events: [] };
        try {
          const { head, events } = await this.write(folded.head, decided, command.provenance, whole, command.protects);
          return await this.after(command.fold, folded.state, head, events, mostGrowth(decided));
        } catch (error) {
          if (attempt === MAX_DECISIONS || !(await this.movedOn(error, folded.head))) throw error;
        }
      }
    });
  }

  /**
   * Appends events after `head`; split where they are too large for one append, the last event in the last part. For who
   * goes on from any part of them; what is decided as a whole is executed. Where an earlier try stored some of them, at
   * another time or under another key, those stand and the rest follows on them.
   * @throws VersionConflictError, DifferentBodyError, StorageFullError naming the limit, and what the store throws
   */
  append(head: StreamHead, events: readonly DomainEvent[], provenance: Provenance): Promise<AppendOutcome> {
    return this.write(head, events, provenance, splitBySize);
  }

  private async write(
    head: StreamHead,
    events: readonly DomainEvent[],
    provenance: Provenance,
    partsOf: PartsOf,
    protects = this.room.protects(events),
  ): Promise<Outcome> {
    const finishes = head.version > 0 && provenance.jobId !== undefined;
    const asked: RoomClaim = { actor: provenance.actor, bytes: 0, protects, finishes };
    // A data key takes room too: where there is none, none is made.
    this.room.claim(asked);
    this.room.settle(asked, 0);
    const ciphers = await this.tellingFull(() => this.codec.prepare(events));
    const encoded = this.codec.encode(head, events, provenance, ciphers);
    const claim = { ...asked, bytes: aboutBytes(encoded) };
    this.room.claim(claim);
    let stored = 0;
    let position: Position | undefined;
    try {
      const outcome = await this.tellingFull(() => this.appendParts(head, events, provenance, partsOf(encoded)));
      if (!outcome.repeated) stored = bytesOf(encoded);
      position = outcome.position;
      return outcome;
    } finally {
      this.room.settle(claim, stored, position);
    }
  }

  /** A store may have no room where the folder has some: it is another's, or its disk is. */
  private async tellingFull<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StorageFullError) this.room.storeIsFull(error);
      throw error;
    }
  }

  private async appendParts(
    head: StreamHead,
    events: readonly DomainEvent[],
    provenance: Provenance,
    parts: readonly NonEmpty<EncodedEvent>[],
  ): Promise<Outcome> {
    const encoded = parts.flat();
    let version = head.version;
    let position: Position | undefined;
    let repeated = false;
    for (const part of parts) {
      const result = await this.appendOnce(head.stream, version, part);
      if (result.outcome === 'conflict') throw new VersionConflictError(head.stream, result.version);
      if (result.repeated) {
        repeated = true;
        const slice = await this.store.readStream(head.stream, { from: version, limit: part.length });
        if (!slice.events.every(({ text }, i) => text === part[i]!.text)) {
          const done = version - head.version;
          const lastHash = done === 0 ? head.lastHash : encoded[done - 1]!.hash;
          const from = { stream: head.stream, version, lastHash };
          const after = await this.followed(from, slice, events.slice(done), following(provenance, events, done));
          const before = encoded.slice(0, done);
          const all = (): readonly LoggedEvent[] => [
            ...before.map((event, i) => this.asLogged(head, event, i, after.position)),
            ...after.events,
          ];
          return new Outcome(after.head, after.position, true, all);
        }
      }
      version += part.length;
      position = result.position;
    }
    const logged = (): readonly LoggedEvent[] => encoded.map((event, i) => this.asLogged(head, event, i, position!));
    const after = { stream: head.stream, version, lastHash: encoded.at(-1)!.hash };
    return new Outcome(after, position!, repeated, logged);
  }

  /** The newest event of a seed in a stream, among those recorded since `sinceMs`; how a repeated request is recognised. */
  async findBySeed(stream: string, jobSeed: string, sinceMs: number): Promise<LoggedEvent | null> {
    const needle = `"job_seed":${JSON.stringify(jobSeed)}`;
    let from: number | undefined;
    for (;;) {
      const slice = await this.store.readStream(stream, {
        backwards: true,
        limit: PAGE,
        ...(from === undefined ? {} : { from }),
      });
      if (sliceIsOver()) await nextSlice();
      for (const recorded of slice.events) {
        if (recorded.recordedAt < sinceMs) return null;
        if (!recorded.text.includes(needle)) continue;
        // A row that nobody signed answers no command.
        const event = this.codec.signedAlone(recorded);
        if (event?.metadata.job_seed === jobSeed && !(await this.wasRetired(event))) return event;
      }
      const last = slice.events.at(-1);
      if (!last || last.revision === 0) return null;
      from = last.revision - 1;
    }
  }

  private wasRetired({ metadata: { kid }, position }: LoggedEvent): boolean | Promise<boolean> {
    return this.signers.wasRetired(kid, position);
  }

  private async appendOnce(stream: string, version: number, part: NonEmpty<EncodedEvent>) {
    const expected = version === 0 ? 'none' : version;
    try {
      return await this.store.append(stream, expected, part);
    } catch (error) {
      // Only a fault that leaves the result unknown is asked again: the same ids at the same version are stored once.
      if (!(error instanceof StoreUnavailableError)) throw error;
      return this.store.append(stream, expected, part);
    }
  }

  /**
   * Appends what an earlier try of the same did not, behind what it did: in other bytes, as it recorded them at another
   * time or under another key.
   * @param head that both follow
   * @throws DifferentBodyError where what stands there says something else; VersionConflictError where it follows on
   * something else, so that the caller has to read anew
   */
  private async followed(
    head: StreamHead,
    { events: stored, version }: StreamSlice,
    events: readonly DomainEvent[],
    provenance: Provenance,
  ): Promise<Pick<Outcome, 'head' | 'position' | 'events'>> {
    const { stream } = head;
    const same = await this.codec.sameBodies(stored, events.slice(0, stored.length), provenance);
    if (!same) throw new DifferentBodyError(stream);
    const known: LoggedEvent[] = [];
    let { lastHash } = head;
    for (const recorded of stored) {
      const event = this.codec.signedAlone(recorded);
      if (event?.metadata.prev_hash !== lastHash || (await this.wasRetired(event)))
        throw new VersionConflictError(stream, version);
      known.push(event);
      lastHash = sha256Hex(recorded.text);
    }
    const reached = { stream, version: head.version + stored.length, lastHash };
    const rest = events.slice(stored.length);
    if (rest.length === 0) return { head: reached, position: stored.at(-1)!.position, events: known };
    const after = await this.write(reached, rest, following(provenance, events, stored.length), splitBySize);
    return { head: after.head, position: after.position, events: [...known, ...after.events] };
  }

  /** Whether an append failed because others wrote since `head`, so that a fresh decision may come to something else. */
  private async movedOn(error: unknown, head: StreamHead): Promise<boolean> {
    if (error instanceof VersionConflictError) return true;
    if (!(error instanceof DifferentBodyError || error instanceof DuplicateEventError)) return false;
    return (await this.store.streamVersion(head.stream)) > head.version;
  }

  /** The event just appended, with its personal fields as stored. */
  private asLogged(head: StreamHead, event: EncodedEvent, index: number, position: Position): LoggedEvent {
    const place = { type: event.type, stream: head.stream, revision: head.version + index, position };
    return this.codec.decodeLater(place, event);
  }

  /** What is stored is told, whatever becomes of the state. */
  private async after<S>(
    fold: Fold<S>,
    before: S,
    head: StreamHead,
    events: readonly LoggedEvent[],
    added: number,
  ): Promise<Executed<S>> {
    try {
      const { state } = await this.advance(fold, before, head, events, added);
      return { state, head, events };
    } catch (cause) {
      return {
        get state(): S {
          throw new StoredError(head.stream, cause);
        },
        head,
        events,
      };
    }
  }

  private async advance<S>(
    fold: Fold<S>,
    before: S,
    head: StreamHead,
    events: readonly LoggedEvent[],
    added: number,
  ): Promise<Folded<S>> {
    let state = before;
    for (const event of events)
      state = fold.evolve(state, fold.personal === 'plain' ? await this.codec.reveal(event) : event);
    const key = keyOf(fold, head.stream);
    const folded = this.keep(key, { state, head }, added);
    this.shared.get(fold.name)?.put(key, folded);
    return folded;
  }

  private async foldWith<S>(stream: string, fold: Fold<S>, shared: GuardedStateCache | undefined): Promise<Folded<S>> {
    const key = keyOf(fold, stream);
    const cached = this.states.get(key) as Folded<S> | undefined;
    const version = await this.reads.version(stream);
    if (cached && cached.head.version === version) {
      this.stateReads.hits++;
      return cached;
    }
    if (version === 0) return { state: fold.initial, head: emptyHead(stream) };
    this.stateReads.misses++;
    if (fold === NO_STATE) return this.keep(key, { state: fold.initial, head: await this.endOf(stream, version) });
    const found = shared && ((await shared.get(key, stream)) as Folded<S> | undefined);
    if (found && found.head.version === version) return found;
    return this.folding.run(key, async () => {
      const folded = await this.foldOn(key, stream, fold, version);
      shared?.put(key, folded);
      return folded;
    });
  }

  /** From the state that is kept by now, which somebody else may have folded meanwhile. */
  private async foldOn<S>(key: string, stream: string, fold: Fold<S>, asked: number): Promise<Folded<S>> {
    const cached = this.states.get(key) as Folded<S> | undefined;
    const version = cached && cached.head.version > asked ? await this.reads.version(stream) : asked;
    if (cached?.head.version === version) return cached;
    const from = cached && cached.head.version < version ? cached : { state: fold.initial, head: emptyHead(stream) };
    let { state } = from;
    const head = await this.read(from.head, fold, (event) => {
      state = fold.evolve(state, event);
    });
    return this.keep(key, { state, head });
  }

  /** @param added bytes that the state has grown by, at most; unknown where absent */
  private keep<S>(key: string, folded: Folded<S>, added?: number): Folded<S> {
    this.states.put(key, folded, added);
    return folded;
  }

  /** @throws IntegrityError where the last event is not what it should be: nothing is chained to it */
  private async endOf(stream: string, version: number): Promise<StreamHead> {
    const last = (await this.reads.slice(stream, version - 1, 1)).events[0];
    if (!last) throw new IntegrityError(stream, version - 1, 'it is missing');
    const { hash, event } = this.codec.open(last, null);
    if (await this.wasRetired(event)) throw retired(event);
    return { stream, version: last.revision + 1, lastHash: hash };
  }

  /** The newest state that is kept of those up to a position. */
  private async nearest(key: string, stream: string, limit: Position): Promise<Folded<unknown> | undefined> {
    const newest = this.states.get(key);
    const last = newest && (await this.reads.slice(stream, newest.head.version - 1, 1)).events[0];
    if (last && comparePositions(last.position, limit) <= 0 && sha256Hex(last.text) === newest.head.lastHash)
      return newest;
    return this.past.upTo(key, limit);
  }

  /** Only who reads beyond a first page waits for others who do, so that the pages in memory are bounded. */
  private async read(from: StreamHead, reading: Reading, take: Take): Promise<StreamHead> {
    let page = await this.readPage(from, reading, take);
    while (!page.isLast) {
      const { head } = page;
      page = await this.pages.run(head.stream, () => this.readPage(head, reading, take));
    }
    return page.head;
  }

  private async readPage(
    from: StreamHead,
    { personal = 'stored', upTo }: Reading,
    take: Take,
  ): Promise<{ readonly head: StreamHead; readonly isLast: boolean }> {
    const { stream } = from;
    let { version, lastHash } = from;
    const { events } = await this.reads.slice(stream, version, PAGE);
    for (const recorded of events) {
      if (upTo !== undefined && comparePositions(recorded.position, upTo) > 0)
        return { head: { stream, version, lastHash }, isLast: true };
      if (version - from.version >= UNBROKEN && sliceIsOver()) await nextSlice();
      const { hash, event } = this.codec.open(recorded, lastHash);
      this.codec.refuseStrange(event);
      const late = this.wasRetired(event);
      if (late !== false && (await late)) throw retired(event);
      // Only what is not in memory is waited for: a promise for each event would cost as much as verifying it.
      const shown =
        personal === 'stored' ? event : (this.codec.revealCached(event) ?? (await this.codec.reveal(event)));
      if (take(shown, hash) === 'enough') return { head: { stream, version, lastHash }, isLast: true };
      lastHash = hash;
      version = recorded.revision + 1;
    }
    return { head: { stream, version, lastHash }, isLast: events.length < PAGE };
  }
}

function keyOf({ name }: Pick<Fold<unknown>, 'name'>, stream: string): string {
  return `${name} ${stream}`;
}

/** Bytes that a state grows by at most where it keeps all that these events say. */
function mostGrowth(events: readonly DomainEvent[]): number {
  return sizeOf(events) + events.length * METADATA_BYTES;
}

/** @throws AppendTooLargeError */
function whole(events: readonly EncodedEvent[]): readonly NonEmpty<EncodedEvent>[] {
  const parts = splitBySize(events);
  if (parts.length > 1) throw new AppendTooLargeError(events.reduce((bytes, event) => bytes + sizeInAppend(event), 0));
  return parts;
}

/** Before they are sealed: to know it exactly they would have to be. */
function aboutBytes(events: readonly EncodedEvent[]): number {
  const unsealed = events[0]?.order.unsealed;
  return unsealed ? unsealed.utf8.length + events.length * EVENT_OVERHEAD_BYTES : bytesOf(events);
}

function bytesOf(events: readonly EncodedEvent[]): number {
  let bytes = 0;
  for (const { utf8 } of events) bytes += utf8.length + EVENT_OVERHEAD_BYTES;
  return bytes;
}

function retired({ stream, revision, metadata: { kid } }: LoggedEvent): IntegrityError {
  return new IntegrityError(stream, revision, `key ${kid} was retired before, and signs no more`);
}

/** The provenance of what is left of an append once so many of its events stand. */
function following(provenance: Provenance, events: readonly DomainEvent[], count: number): Provenance {
  if (count === 0) return provenance;
  const { jobSeed, actor, jobId, traceId } = provenance;
  const sequenceIndex = provenance.sequenceIndex + count;
  const causationId = eventId(jobSeed, sequenceIndex - 1, events[count - 1]!.type);
  return { jobSeed, sequenceIndex, actor, traceId, causationId, ...(jobId === undefined ? {} : { jobId }) };
}
