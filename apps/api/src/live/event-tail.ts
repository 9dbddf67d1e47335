import { type Principal } from '#lib/access';
import type { AuditLog } from '#lib/audit';
import { comparePositions, eventAt, type EventStore, type Position, START } from '#lib/event-store';
import { MaceError, RateLimitedError } from '#lib/kernel';

import { Following, PACE, type Pace } from './following.js';
import { HistoryPages } from './history-pages.js';
import { LiveEvents } from './live-events.js';
import { LogPlaces, noPlace } from './log-places.js';
import { type Selection, selectionOf, type TailFilter } from './selection.js';
import { TailReader } from './tail-reader.js';

export interface TailLimits {
  /** Readers that one principal may have open at once. */
  readonly ofPrincipal: number;
  /** Readers in this process. */
  readonly inAll: number;
}

export const TAIL_LIMITS: TailLimits = { ofPrincipal: 32, inAll: 2000 };

export interface Lasting {
  /** False: it ends once everything is given that was there when it was opened. */
  readonly follow?: boolean;
}

/** When a refused reader may try again, ms. */
const RETRY_MS = 10_000;

export interface TailParts {
  readonly store: EventStore;
  readonly audit: Pick<AuditLog, 'verified'>;
  /** What no other log is called, and this one only where its positions are these. */
  readonly log: string;
  /** Told where the log cannot be followed, which is tried again; null once it can be. */
  readonly onFault: (error: unknown) => void;
  readonly pace?: Pace;
  readonly limits?: TailLimits;
}

/** The log as it grows, for whoever may see it: one reading of it, shared by all who follow it in this process. */
export class EventTail {
  private following: Following | undefined;
  private readonly readers = new Set<TailReader>();
  private readonly counts = new Map<string, number>();
  private isStopped = false;
  private readonly places: LogPlaces;

  constructor(private readonly parts: TailParts) {
    this.places = new LogPlaces(parts.log);
  }

  /** How many follow it now. */
  get size(): number {
    return this.readers.size;
  }

  /**
   * A reader of what the principal may see of everything after a position, of the past and of what comes, without gap or
   * repetition. It is to be read to its end or closed.
   * @param after the id of an event of this log or its position, or 0 for all of it; what comes from now on where absent
   * @throws MaceError PERMISSION_DENIED, INVALID_INPUT for a position that this log does not have, DATA_UNAVAILABLE while
   * the process stops; RateLimitedError where too many are open; what the store throws
   */
  async open(principal: Principal, filter: TailFilter = {}, after?: string, more: Lasting = {}): Promise<TailReader> {
    return this.openFor(principal.id, selectionOf(principal, filter), after, more);
  }

  /**
   * As `open`, for who may see a selection for another reason than their role.
   * @param principal whose place is taken
   */
  async openFor(
    principal: string,
    selection: Selection,
    after?: string,
    { follow = true }: Lasting = {},
  ): Promise<TailReader> {
    const { store, audit } = this.parts;
    this.take(principal);
    try {
      const head = await store.head();
      const cursor = after === undefined ? head : await this.positionIn(after, head);
      if (this.isStopped) throw stopping();
      const following = this.follow();
      const history = new HistoryPages(store, new LiveEvents(store, audit, this.places), selection);
      const onEnd = (): void => {
        this.readers.delete(reader);
        this.give(principal);
      };
      const { places } = this;
      const until = follow ? undefined : head;
      const reader = new TailReader({ following, history, selection, places, onEnd, until }, cursor);
      this.readers.add(reader);
      return reader;
    } catch (error) {
      this.give(principal);
      throw error;
    }
  }

  /** Ends every reader, and takes no more. Settles once nothing is read any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    const { following } = this;
    for (const reader of [...this.readers]) reader.close('server_stopping');
    following?.stop();
    await following?.ended;
  }

  private async positionIn(text: string, head: Position): Promise<Position> {
    const position = this.places.positionOf(text);
    if (comparePositions(position, head) > 0) throw noPlace();
    if (position !== START && !(await eventAt(this.parts.store, position))) throw noPlace();
    return position;
  }

  private follow(): Following {
    const { store, audit, onFault, pace = PACE } = this.parts;
    return (this.following ??= new Following(store, new LiveEvents(store, audit, this.places), onFault, pace));
  }

  private take(principal: string): void {
    if (this.isStopped) throw stopping();
    const { ofPrincipal, inAll } = this.parts.limits ?? TAIL_LIMITS;
    const own = this.counts.get(principal) ?? 0;
    if (own >= ofPrincipal) throw new RateLimitedError(`at most ${ofPrincipal} open tails of a principal`, RETRY_MS);
    let all = 0;
    for (const count of this.counts.values()) all += count;
    if (all >= inAll) throw new RateLimitedError(`at most ${inAll} open tails in all`, RETRY_MS);
    this.counts.set(principal, own + 1);
  }

  private give(principal: string): void {
    const left = this.counts.get(principal)! - 1;
    if (left > 0) this.counts.set(principal, left);
    else this.counts.delete(principal);
    if (this.counts.size > 0) return;
    // Nobody is left: an idle process follows nothing.
    this.following?.stop();
    this.following = undefined;
  }
}

function stopping(): MaceError {
  return new MaceError('DATA_UNAVAILABLE', 'the server stops; its tails are ended');
}
