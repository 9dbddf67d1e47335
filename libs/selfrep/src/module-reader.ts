import {
  comparePositions,
  type EventLog,
  type LoggedEvent,
  positionOf,
  type Position,
  type RecordedTime,
  recordedTime,
  StoreUnavailableError,
} from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import type { SelfrepConstants } from './domain/constants.js';
import type { AptEvent, TrustOutcome } from './domain/module.events.js';
import { moduleStream } from './domain/module.events.js';
import { type Module } from './domain/module.js';
import { Recomputation, type Recomputed } from './domain/recompute.js';
import { checkNodeId } from './domain/registration.js';
import { there } from './modules.js';
import type { ModuleStreams } from './module-streams.js';

/** One step of a module's trust, newest first in lists. */
export interface TrustStep
  extends Pick<TrustOutcome, 'event_id' | 'event_type' | 'apt_before' | 'apt_after'>, RecordedTime {
  /** Of the event that tells of it. */
  readonly timestamp_seeded: string;
}

export interface TrustHistory {
  readonly items: readonly TrustStep[];
  readonly next_cursor: string | null;
}

const SLICE = 32;
const CURSOR = /^([0-9]{1,15})\.([0-9]{1,6})$/;

/** Reads modules from their own streams: what is answered is never older than an acknowledged write. */
export class ModuleReader {
  constructor(
    private readonly log: EventLog,
    private readonly streams: ModuleStreams,
    /** The constants that were ever in force, oldest first. */
    private readonly eras: () => Promise<readonly SelfrepConstants[]>,
  ) {}

  /** @throws MaceError NOT_FOUND, DATA_UNAVAILABLE */
  async get(nodeId: string): Promise<Module> {
    checkNodeId(nodeId);
    return this.reading(async () => there((await this.streams.read(nodeId)).module, nodeId));
  }

  /**
   * After the event at a position.
   * @param who id of the principal that asks
   * @throws MaceError NOT_FOUND, INVALID_INPUT, DATA_UNAVAILABLE; RateLimitedError where too many such reads of the
   * principal wait
   */
  async getAsOf(nodeId: string, asOf: string, who: string): Promise<Module> {
    checkNodeId(nodeId);
    return this.reading(async () => {
      const limit = await this.reached(asOf);
      return there((await this.streams.readAsOf(nodeId, limit, who)).module, nodeId);
    });
  }

  /** What moved a module's trust, newest first. @throws MaceError INVALID_INPUT for a cursor that is none */
  async history(nodeId: string, page: { readonly limit: number; readonly cursor?: string }): Promise<TrustHistory> {
    return this.reading(async () => {
      const cut = page.cursor === undefined ? null : parseCursor(page.cursor);
      const items: TrustStep[] = [];
      for (let from = cut?.revision; from === undefined || from >= 0;) {
        const slice = await this.log.store.readStream(moduleStream(nodeId), {
          backwards: true,
          limit: SLICE,
          ...(from === undefined ? {} : { from }),
        });
        for (const recorded of slice.events) {
          if (recorded.type !== 'APT_EVENT') continue;
          const event = this.log.codec.signedAlone(recorded);
          if (!event) continue;
          const { outcomes } = event.data as unknown as AptEvent;
          const first = recorded.revision === cut?.revision ? cut.index : outcomes.length - 1;
          for (let i = first; i >= 0; i--) {
            if (items.length === page.limit) return { items, next_cursor: `${recorded.revision}.${i}` };
            items.push(stepOf(outcomes[i]!, recordedTime(event)));
          }
        }
        from = (slice.events.at(-1)?.revision ?? 0) - 1;
      }
      return { items, next_cursor: null };
    });
  }

  /**
   * Trust by the formulas from the whole stream, verified, beside the stored one.
   * @param who id of the principal that asks
   * @throws MaceError NOT_FOUND; RateLimitedError where too many such reads of the principal wait
   */
  async recompute(nodeId: string, who: string): Promise<Recomputed> {
    checkNodeId(nodeId);
    return this.reading(async () => {
      const recomputation = new Recomputation(await this.eras());
      const take = (event: LoggedEvent): void => recomputation.take(event);
      await this.log.histories.run(who, () => this.log.each(moduleStream(nodeId), {}, take));
      const { result } = recomputation;
      if (!result) throw new MaceError('NOT_FOUND', `no module ${nodeId} is registered`);
      return result;
    });
  }

  /** @throws MaceError INVALID_INPUT for a position that is none, or that nothing has reached yet */
  private async reached(asOf: string): Promise<Position> {
    const position = /^(0|[1-9][0-9]{0,19})$/.test(asOf) ? positionOf(asOf) : null;
    if (position === null) throw new MaceError('INVALID_INPUT', 'as_of: a position, such as a list answers with');
    if (comparePositions(position, await this.log.store.head()) > 0) {
      throw new MaceError('INVALID_INPUT', `as_of: nothing has reached position ${asOf} yet`);
    }
    return position;
  }

  private async reading<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof StoreUnavailableError) {
        throw new MaceError('DATA_UNAVAILABLE', 'the event store does not answer');
      }
      throw error;
    }
  }
}

/** @param time at which the module's trust was moved by it */
function stepOf(outcome: TrustOutcome, time: RecordedTime): TrustStep {
  const { event_id, event_type, timestamp: timestamp_seeded, apt_before, apt_after } = outcome;
  return { event_id, event_type, timestamp_seeded, ...time, apt_before, apt_after };
}

function parseCursor(cursor: string): { readonly revision: number; readonly index: number } {
  const match = CURSOR.exec(cursor);
  if (!match) throw new MaceError('INVALID_INPUT', 'cursor: next_cursor of the page before');
  return { revision: Number(match[1]), index: Number(match[2]) };
}
