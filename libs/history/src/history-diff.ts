import {
  comparePositions,
  type EventLog,
  IntegrityError,
  nextSlice,
  positionOf,
  type Position,
  sliceIsOver,
} from '#lib/event-store';
import { differences, type PolicyDifference } from '#lib/governance';
import { type JsonObject, MaceError } from '#lib/kernel';

import { masked } from './domain/masked.js';
import type { HistoryKind } from './kinds.js';
import { COUNTED, kindOf, type Teller } from './teller.js';

export interface DiffRequest {
  /** Position after which changes count; 0 is the beginning. */
  readonly from: string;
  /** Position up to which they count, inclusive; the newest event where absent. */
  readonly to?: string;
  /** Only of this kind. */
  readonly kind?: HistoryKind;
  readonly limit: number;
  readonly cursor?: string;
}

/** One stream that was written to between the two positions. */
export interface HistoryChange {
  readonly kind: string;
  readonly stream: string;
  /** `rewritten`: events came, and the state is what it was. `unreadable`: the stream, or a snapshot that it names, is not what was signed. */
  readonly change: 'created' | 'changed' | 'removed' | 'rewritten' | 'unreadable';
  /** Number of events at the two positions. */
  readonly from_version: number;
  readonly to_version: number;
  /** In order of their pointers; null where there was, or is, nothing. Personal fields are marks. */
  readonly differences: readonly PolicyDifference[];
  /** Why it, or what it stands on, cannot be read; only where it cannot. */
  readonly reason?: string;
}

export interface HistoryDiffPage {
  readonly from: string;
  readonly to: string;
  readonly items: readonly HistoryChange[];
  readonly next_cursor: string | null;
  /** What the list includes: everything up to `to`. */
  readonly position: string;
}

const PAGE = 256;
const MAX_SEEN = 4096;
const POSITION = /^(0|[1-9][0-9]{0,19})$/;

/** What changed between two positions of the log (seed 002 section 1), told stream by stream. */
export class HistoryDiff {
  constructor(
    private readonly log: EventLog,
    private readonly tellers: readonly Teller[],
  ) {}

  /**
   * Streams in the order in which the range first touches them. Memory is bounded by the page, not by the range.
   * @param who id of the principal that asks
   * @throws MaceError INVALID_INPUT for positions that are none, in the wrong order, or that nothing has reached yet;
   * RateLimitedError where too many such reads of the principal wait
   */
  async page(request: DiffRequest, who: string): Promise<HistoryDiffPage> {
    const head = await this.log.store.head();
    const to = request.to === undefined ? head : parsed('to', request.to);
    const from = parsed('from', request.from);
    for (const [name, position] of Object.entries({ from, to })) {
      if (comparePositions(position, head) > 0)
        throw invalid(`${name}: nothing has reached position ${position} yet; the log ends at ${head}`);
    }
    if (comparePositions(from, to) > 0) throw invalid('from: a position not after `to`');
    const start = request.cursor === undefined ? from : parsed('cursor', request.cursor);
    if (comparePositions(start, from) < 0 || comparePositions(start, to) > 0)
      throw invalid('cursor: next_cursor of the page before, of the same range');
    return this.log.histories.run(who, () => this.collect(request, { from, to, start }));
  }

  private async collect(
    { kind, limit }: DiffRequest,
    { from, to, start }: { readonly from: Position; readonly to: Position; readonly start: Position },
  ): Promise<HistoryDiffPage> {
    const items: HistoryChange[] = [];
    let seen = new Set<string>();
    let at = start;
    while (comparePositions(at, to) < 0) {
      const page = await this.log.store.readAll({ after: at, limit: PAGE });
      for (const { stream, revision, position } of page.events) {
        if (sliceIsOver()) await nextSlice();
        if (comparePositions(position, to) > 0) return { from, to, items, next_cursor: null, position: to };
        at = position;
        if (seen.has(stream)) continue;
        if (seen.size === MAX_SEEN) seen = new Set();
        seen.add(stream);
        if (kind !== undefined && this.kindOf(stream) !== kind) continue;
        if (await this.wasTouchedBefore(stream, revision, from)) continue;
        items.push(await this.changeOf(stream, revision, from, to));
        if (items.length < limit) continue;
        return { from, to, items, next_cursor: comparePositions(at, to) < 0 ? at : null, position: to };
      }
      if (page.atHead && page.events.length === 0) break;
      at = page.scannedTo;
    }
    return { from, to, items, next_cursor: null, position: to };
  }

  /** Whether an earlier event of the stream lies in the range too, so that it was told there. */
  private async wasTouchedBefore(stream: string, revision: number, from: Position): Promise<boolean> {
    if (revision === 0) return false;
    const [before] = (await this.log.store.readStream(stream, { from: revision - 1, limit: 1 })).events;
    return before !== undefined && comparePositions(before.position, from) > 0;
  }

  private async changeOf(stream: string, first: number, from: Position, to: Position): Promise<HistoryChange> {
    const kind = this.kindOf(stream);
    try {
      const was = await this.told(stream, from);
      const is = await this.told(stream, to);
      const found = differences(was.told ?? {}, is.told ?? {});
      const change = nameOf(was.told, is.told, found.length);
      return { kind, stream, change, from_version: was.version, to_version: is.version, differences: found };
    } catch (error) {
      const reason = whyUnreadable(error, stream);
      if (reason === null) throw error;
      const to_version = await this.log.store.streamVersion(stream);
      return { kind, stream, change: 'unreadable', from_version: first, to_version, differences: [], reason };
    }
  }

  /** The state as of a position, and how many events made it. */
  private async told(stream: string, limit: Position) {
    const teller = this.teller(stream) ?? (COUNTED as Pick<Teller, 'fold' | 'tell'>);
    const { state, head } = await this.log.foldAsOf(stream, teller.fold, limit);
    const told = await teller.tell(state);
    return { told: told && (masked(told) as JsonObject), version: head.version };
  }

  private kindOf(stream: string): string {
    return this.teller(stream)?.kind ?? kindOf(stream);
  }

  private teller(stream: string): Teller | undefined {
    return this.tellers.find(({ prefix }) => stream.startsWith(prefix));
  }
}

/** What a stream says may stand in another one, that of a policy in a snapshot; null for a fault that says nothing of either. */
function whyUnreadable(error: unknown, stream: string): string | null {
  if (error instanceof IntegrityError) {
    const place = error.stream === stream ? '' : `${error.stream} `;
    return `${place}revision ${error.revision}: ${error.reason}`;
  }
  return error instanceof MaceError && error.code === 'MISSING_SNAPSHOT' ? error.developerMessage : null;
}

function nameOf(was: JsonObject | null, is: JsonObject | null, count: number): HistoryChange['change'] {
  if (was === null && is !== null) return 'created';
  if (was !== null && is === null) return 'removed';
  return count === 0 ? 'rewritten' : 'changed';
}

function parsed(name: string, text: string): Position {
  if (!POSITION.test(text)) throw invalid(`${name}: a position of the log, such as a list answers with`);
  return positionOf(text);
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
