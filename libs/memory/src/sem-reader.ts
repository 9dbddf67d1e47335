import { hasRole, type Principal } from '#lib/access';
import {
  comparePositions,
  emptyHead,
  type EventLog,
  isErased,
  type LoggedEvent,
  nextSlice,
  positionOf,
  type Position,
  sliceIsOver,
} from '#lib/event-store';
import { MaceError, sha256Hex, type Actor, type Json } from '#lib/kernel';

import { mayRead } from './access-rules.js';
import { parseCanonicalKey } from './domain/canonical-key.js';
import { type Present, type SemState } from './domain/sem.js';
import { ownerOf, semStream, type UsedConsent } from './domain/sem.events.js';
import { nextTimestamp } from './domain/write-time.js';
import { decodeCursor, encodeCursor } from './history-cursor.js';
import { type ConsentLookup, NO_CONSENTS } from './ports.js';
import { SEM_FOLD } from './sem-fold.js';
import { readFault } from './store-faults.js';

/** What stands under a key, in plain. */
export interface SemRecord {
  readonly exists: boolean;
  /** Null where nothing is stored; `[erased]` where its owner's data key was destroyed. */
  readonly value: Json;
  readonly source: string | null;
  /** Timestamp of the current value, as it was written. */
  readonly timestamp: string | null;
  readonly meta: Json;
  /** Id and revision of the event that made the value current; null where nothing is. */
  readonly event_id: string | null;
  readonly revision: number | null;
  /** Number of events in the key's stream: what a later write builds on. */
  readonly version: number;
  readonly erased: boolean;
  /** Ids of the consents that the value is stored under; absent where it needed none. */
  readonly consents?: readonly string[];
}

/** What a job records before its write leaves, so that running again it writes the same. */
export interface PreparedWrite {
  /** Number of events in the key's stream: where a later run looks for its own. */
  readonly key_revision: number;
  readonly timestamp: string;
}

/** One write of a key's history. A deletion has the value null, which no write can have. */
export interface HistoryItem {
  readonly revision: number;
  readonly position: string;
  readonly value: Json;
  readonly source: string;
  readonly timestamp: string;
  readonly applied: boolean;
  readonly event_id: string;
  readonly actor: Actor;
}

export interface HistoryPage {
  readonly items: readonly HistoryItem[];
  readonly next_cursor: string | null;
}

/** What reads answer in place of a value whose key was destroyed (spec/privacy.md, "Personal fields"). */
export const ERASED_TEXT = '[erased]';
/** What history and as_of answer in place of a value whose consent was revoked, or whose time is over. */
export const REVOKED_TEXT = '[revoked]';
const DEFAULT_PAGE = 50;
const WRITES_AT_ONCE = 128;

/** Reads memory from the keys' own streams: what is answered is never older than an acknowledged write. */
export class SemReader {
  constructor(
    private readonly log: EventLog,
    private readonly consents: ConsentLookup = NO_CONSENTS,
    private readonly now: () => number = () => Date.now(),
  ) {}

  /** What was stored under a consent that has ended is as if it were not there. @throws MaceError DATA_UNAVAILABLE */
  async get(key: string): Promise<SemRecord> {
    // Most of what is read is read here: nothing is waited for that is known already, and no closure stands around it.
    try {
      const stream = semStream(key);
      const { state, head } = this.log.foldKnown(stream, SEM_FOLD) ?? (await this.log.fold(stream, SEM_FOLD));
      const isUnderConsent = consentsOf(state).length > 0;
      if (isUnderConsent && !(await this.mayBeUsed(key, state))) return { ...NOTHING, version: head.version };
      return this.revealCached(state, head.version) ?? (await this.reveal(state, head.version));
    } catch (error) {
      throw readFault(error);
    }
  }

  /**
   * Whether the value was stored under a consent that has ended: lists leave its key out. Nothing is decrypted.
   * @throws MaceError DATA_UNAVAILABLE
   */
  async isHidden(key: string): Promise<boolean> {
    if (ownerOf(key) === null) return false;
    return this.reading(async () => {
      const { state } = await this.log.fold(semStream(key), SEM_FOLD);
      return !(await this.mayBeUsed(key, state));
    });
  }

  /** Version and time under which a write would happen now. @throws MaceError DATA_UNAVAILABLE */
  async prepareWrite(key: string, now: number): Promise<PreparedWrite> {
    return this.reading(async () => {
      const { state, head } = await this.log.fold(semStream(key), SEM_FOLD);
      return { key_revision: head.version, timestamp: nextTimestamp(now, state.current?.timestamp) };
    });
  }

  /**
   * What stood under the key after the event at that position.
   * @param who id of the principal that asks
   * @throws MaceError INVALID_INPUT for a position that is none, or that nothing has reached yet; RateLimitedError where
   * too many such reads of the principal wait
   */
  async getAsOf(key: string, asOf: string, who: string): Promise<SemRecord> {
    return this.reading(async () => {
      const limit = parsePosition(asOf);
      if (comparePositions(limit, await this.log.store.head()) > 0) {
        throw new MaceError('INVALID_INPUT', `as_of: nothing has reached position ${asOf} yet`);
      }
      const folded = () => this.log.foldAsOf(semStream(key), SEM_FOLD, limit);
      const { state, head } = await this.log.histories.run(who, folded);
      const record = await this.reveal(state, head.version);
      return (await this.mayBeUsed(key, state)) ? record : { ...record, value: REVOKED_TEXT, meta: {} };
    });
  }

  /** Every write of a key, oldest first. An unknown key has no items. */
  async history(key: string, page: { readonly limit?: number; readonly cursor?: string }): Promise<HistoryPage> {
    return this.reading(async () => {
      const limit = page.limit ?? DEFAULT_PAGE;
      const from = page.cursor === undefined ? 0 : decodeCursor(page.cursor, key);
      const { events, version } = await this.verified(key, from, limit);
      const items: HistoryItem[] = [];
      for (const event of events) items.push(await this.historyItem(key, event));
      const next = from + events.length;
      return { items, next_cursor: next < version && events.length > 0 ? encodeCursor(key, next) : null };
    });
  }

  /**
   * Every write of a key, oldest first, with its event in plain: who is shown the value may be shown what stands beside it.
   * A page of the stream is in memory at a time.
   * @throws MaceError DATA_UNAVAILABLE, INTEGRITY_FAILURE
   */
  async *writes(key: string): AsyncGenerator<{ readonly item: HistoryItem; readonly event: LoggedEvent }> {
    for (let from = 0, isOver = false; !isOver;) {
      const { events, version } = await this.reading(() => this.verified(key, from, WRITES_AT_ONCE));
      for (const event of events) yield { event, item: await this.reading(() => this.historyItem(key, event)) };
      from += events.length;
      isOver = from >= version || events.length === 0;
    }
  }

  private async mayBeUsed(key: string, state: SemState): Promise<boolean> {
    return this.areInForce(key, consentsOf(state));
  }

  private async areInForce(key: string, ids: readonly string[]): Promise<boolean> {
    return ids.length === 0 || this.consents.areInForce(ownerOf(key) ?? '', ids, this.now());
  }

  private async reveal({ current }: SemState, version: number): Promise<SemRecord> {
    if (!current || current.deleted) return { ...NOTHING, version };
    const { codec } = this.log;
    const value = await codec.revealField(current.event_id, '/value', current.value);
    const meta = current.meta === undefined ? {} : await codec.revealField(current.event_id, '/meta', current.meta);
    return recordOf(current, value, meta, version);
  }

  /** As `reveal`, at once; undefined where a data key is not in memory. */
  private revealCached({ current }: SemState, version: number): SemRecord | undefined {
    if (!current || current.deleted) return { ...NOTHING, version };
    const { codec } = this.log;
    const value = codec.revealFieldCached(current.event_id, '/value', current.value);
    const meta = current.meta === undefined ? {} : codec.revealFieldCached(current.event_id, '/meta', current.meta);
    return value === undefined || meta === undefined ? undefined : recordOf(current, value, meta, version);
  }

  /** A part of a stream, its chain checked from the event before it on. */
  private async verified(
    key: string,
    from: number,
    limit: number,
  ): Promise<{ events: LoggedEvent[]; version: number }> {
    const stream = semStream(key);
    const anchor = Math.max(0, from - 1);
    const slice = await this.log.store.readStream(stream, { from: anchor, limit: limit + (from - anchor) });
    let hash = emptyHead(stream).lastHash;
    const events: LoggedEvent[] = [];
    for (const recorded of slice.events) {
      if (sliceIsOver()) await nextSlice();
      hash = recorded.revision < from ? sha256Hex(recorded.text) : this.log.codec.verify(recorded, hash);
      if (recorded.revision >= from) events.push(await this.log.codec.decodePlain(recorded));
    }
    return { events, version: slice.version };
  }

  private async historyItem(key: string, event: LoggedEvent): Promise<HistoryItem> {
    const { type, data, metadata, revision, position } = event;
    const value = type === 'sem_delete' ? null : (data['value'] ?? null);
    const consents = (data['consents'] ?? []) as unknown as readonly UsedConsent[];
    const stands = await this.areInForce(
      key,
      consents.map(({ consent_id }) => consent_id),
    );
    const shown = isErased(value) ? ERASED_TEXT : value;
    return {
      revision,
      position,
      value: stands ? shown : REVOKED_TEXT,
      source: data['source'] as string,
      timestamp: data['timestamp'] as string,
      applied: type === 'sem_delete' || data['applied'] === true,
      event_id: metadata.event_id,
      actor: metadata.actor,
    };
  }

  private async reading<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw readFault(error);
    }
  }
}

/** What stands, with what was opened of it. */
function recordOf(current: Present, value: Json, meta: Json, version: number): SemRecord {
  const { event_id, source, timestamp, revision, consents } = current;
  const erased = isErased(value);
  return {
    exists: true,
    value: erased ? ERASED_TEXT : value,
    source,
    timestamp,
    meta: isErased(meta) ? ERASED_TEXT : meta,
    event_id,
    revision,
    version,
    erased,
    ...(consents === undefined ? {} : { consents }),
  };
}

const NO_IDS: readonly string[] = [];

/** Ids of the consents that the current value is stored under. */
function consentsOf({ current }: SemState): readonly string[] {
  return current && !current.deleted ? (current.consents ?? NO_IDS) : NO_IDS;
}

const NOTHING = {
  exists: false,
  value: null,
  source: null,
  timestamp: null,
  meta: {},
  event_id: null,
  revision: null,
  erased: false,
} as const;

/** @throws MaceError INVALID_INPUT for a malformed key, PERMISSION_DENIED whether the key exists or not */
export function requireReadable(principal: Principal, key: string): void {
  if (mayRead(principal, parseCanonicalKey(key))) return;
  throw new MaceError('PERMISSION_DENIED', 'what is stored about a person is for that person and an admin');
}

/** @throws MaceError PERMISSION_DENIED */
export function requireAdmin(principal: Principal, what: string): void {
  if (!hasRole(principal, 'admin')) throw new MaceError('PERMISSION_DENIED', `${what} is for an admin`);
}

function parsePosition(text: string): Position {
  try {
    return positionOf(text);
  } catch (error) {
    if (error instanceof RangeError)
      throw new MaceError('INVALID_INPUT', 'as_of: a position, such as the one a PUT answers with');
    throw error;
  }
}
