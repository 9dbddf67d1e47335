import { setImmediate as nextTurn } from 'node:timers/promises';

import {
  type Appended,
  type Conflict,
  type EventStore,
  type EventToAppend,
  type ExpectedVersion,
  type NonEmpty,
  type Page,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  StorageFullError,
  StoreUnavailableError,
  type StreamSlice,
  type SubscribeOptions,
  type SubscriptionItem,
} from '../port.js';
import { type Fault, type FaultPlan, type StoreCall } from './fault-plan.js';

/** Any event store, with faults by plan: what stands on the port must keep its promises all the same. */
export class FaultyEventStore implements EventStore {
  /** Every fault that was given, in order; a failing history prints it. */
  readonly faults: (StoreCall & { readonly fault: Fault })[] = [];
  private calls = 0;
  private crashed = false;

  /** @param turn what a delay counts; turns of the event loop where absent */
  constructor(
    private readonly inner: EventStore,
    private readonly plan: FaultPlan,
    private readonly turn: () => Promise<unknown> = () => nextTurn(),
  ) {}

  /** After a crash: the store answers again, with what it had stored. */
  revive(): void {
    this.crashed = false;
  }

  append(stream: string, expected: ExpectedVersion, events: NonEmpty<EventToAppend>): Promise<Appended | Conflict> {
    return this.call<Appended | Conflict>(
      'append',
      stream,
      () => this.inner.append(stream, expected, events),
      async () => ({ outcome: 'conflict', version: await this.inner.streamVersion(stream) }),
    );
  }

  readStream(stream: string, options?: ReadStreamOptions): Promise<StreamSlice> {
    return this.call('readStream', stream, () => this.inner.readStream(stream, options));
  }

  streamVersion(stream: string): Promise<number> {
    return this.call('streamVersion', stream, () => this.inner.streamVersion(stream));
  }

  readAll(options: ReadAllOptions): Promise<Page> {
    return this.call('readAll', null, () => this.inner.readAll(options));
  }

  head(): Promise<Position> {
    return this.call('head', null, () => this.inner.head());
  }

  async *subscribeAll(options: SubscribeOptions): AsyncGenerator<SubscriptionItem, void, undefined> {
    for await (const item of this.inner.subscribeAll(options)) {
      yield await this.call('subscription page', null, async () => item);
    }
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private async call<T>(
    method: StoreCall['method'],
    stream: string | null,
    perform: () => Promise<T>,
    conflict?: () => Promise<T>,
  ): Promise<T> {
    const call = { method, stream, number: this.calls++ };
    this.refuseWhenCrashed();
    const fault = this.plan(call);
    if (fault) this.faults.push({ ...call, fault });
    switch (fault?.kind) {
      case undefined:
        return perform();
      case 'delay':
        await this.wait(fault.turns);
        this.refuseWhenCrashed();
        return perform();
      case 'refused':
        throw new StoreUnavailableError('refused by plan');
      case 'lostAnswer':
        await perform();
        throw new StoreUnavailableError('answer lost by plan');
      case 'duplicate':
        await perform();
        return perform();
      case 'late':
        // Nobody hears what becomes of it any more.
        void this.wait(fault.turns)
          .then(perform)
          .catch(() => undefined);
        throw new StoreUnavailableError('given up by plan, and done later');
      case 'full':
        throw new StorageFullError('full by plan');
      case 'conflict':
        if (!conflict) throw new TypeError(`a plan gave a conflict to ${method}, which has none`);
        return conflict();
      case 'crash':
        this.crashed = true;
        if (fault.when === 'after') await perform();
        throw new StoreUnavailableError(`crashed by plan, ${fault.when} the call`);
    }
  }

  private async wait(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await this.turn();
  }

  private refuseWhenCrashed(): void {
    if (this.crashed) throw new StoreUnavailableError('crashed by plan');
  }
}
