import {
  type EventStore,
  type Position,
  type ReadAllOptions,
  type SubscribeOptions,
  type SubscriptionItem,
} from '#lib/event-store';

import { HeadSignal, livePages } from '../../libs/event-store/src/live-pages.js';
import type { Owner, Scheduler } from './scheduler.js';

/** One process's way to the event store: each call is an operation of the scheduler's, and so is hearing of an append. */
export class ScheduledEventStore implements EventStore {
  private readonly signal = new HeadSignal();

  constructor(
    private readonly inner: EventStore,
    private readonly scheduler: Scheduler,
    /** Most events a page holds: the port lets a store end a page early. */
    private readonly pageLimit: number,
  ) {}

  append(...call: Parameters<EventStore['append']>): ReturnType<EventStore['append']> {
    return this.scheduler.call(`append ${call[0]}`, () => this.inner.append(...call), { outlives: true });
  }

  readStream(...call: Parameters<EventStore['readStream']>): ReturnType<EventStore['readStream']> {
    return this.scheduler.call(`read ${call[0]}`, () => this.inner.readStream(...call));
  }

  streamVersion(stream: string): Promise<number> {
    return this.scheduler.call(`version ${stream}`, () => this.inner.streamVersion(stream));
  }

  readAll(options: ReadAllOptions): ReturnType<EventStore['readAll']> {
    const limit = Math.min(options.limit, this.pageLimit);
    return this.scheduler.call(`read all after ${options.after}`, () => this.inner.readAll({ ...options, limit }));
  }

  head(): Promise<Position> {
    return this.scheduler.call('head', () => this.inner.head());
  }

  /** Told of an append, its own or another's, some time after it. */
  heard(head: Position, owner: Owner): void {
    void this.scheduler.call('hear', async () => this.signal.moveTo(head), { owner });
  }

  subscribeAll(options: SubscribeOptions): AsyncIterable<SubscriptionItem> {
    return livePages((page) => this.readAll(page), this.signal, options);
  }

  async close(): Promise<void> {
    this.signal.close();
  }
}

/** What a call of a port may meet: nothing, a refusal, or an answer that is lost after it was done. */
export type PortFault = 'refused' | 'lost' | undefined;

export interface PortOptions {
  readonly name: string;
  /** Methods that change what is stored; only their answers are worth losing. */
  readonly writes: readonly string[];
  readonly fault: (isWrite: boolean) => PortFault;
  readonly unavailable: (why: string) => Error;
}

/** Any port whose methods answer with promises, each call an operation of the scheduler's. */
export function scheduledPort<T extends object>(inner: T, scheduler: Scheduler, options: PortOptions): T {
  const { name, writes, fault, unavailable } = options;
  return new Proxy(inner, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      const method = String(property);
      const isWrite = writes.includes(method);
      const perform = member.bind(target) as (...args: unknown[]) => Promise<unknown>;
      return (...args: unknown[]) =>
        scheduler.call(
          `${name} ${method}`,
          async () => {
            const met = fault(isWrite);
            if (met === 'refused') throw unavailable('refused by plan');
            const result = await perform(...args);
            if (met === 'lost') throw unavailable('answer lost by plan');
            return result;
          },
          { outlives: isWrite },
        );
    },
  });
}
