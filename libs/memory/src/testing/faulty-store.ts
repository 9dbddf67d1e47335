import type {
  Appended,
  Conflict,
  EventStore,
  EventToAppend,
  ExpectedVersion,
  NonEmpty,
  Page,
  Position,
  ReadAllOptions,
  ReadStreamOptions,
  StreamSlice,
  SubscribeOptions,
  SubscriptionItem,
} from '#lib/event-store';

/** `before`: nothing is stored. `after`: it is stored, and the answer is lost. */
export interface Fault {
  readonly error: Error;
  readonly when: 'before' | 'after';
}

/** A store whose appends fail as a test says. */
export class FaultyStore implements EventStore {
  readonly attempts: string[] = [];
  fault: (stream: string, attempt: number) => Fault | undefined = () => undefined;

  constructor(private readonly inner: EventStore) {}

  async append(
    stream: string,
    expected: ExpectedVersion,
    events: NonEmpty<EventToAppend>,
  ): Promise<Appended | Conflict> {
    this.attempts.push(stream);
    const fault = this.fault(stream, this.attempts.filter((other) => other === stream).length);
    if (fault?.when === 'before') throw fault.error;
    const result = await this.inner.append(stream, expected, events);
    if (fault) throw fault.error;
    return result;
  }

  readStream(stream: string, options?: ReadStreamOptions): Promise<StreamSlice> {
    return this.inner.readStream(stream, options);
  }

  streamVersion(stream: string): Promise<number> {
    return this.inner.streamVersion(stream);
  }

  readAll(options: ReadAllOptions): Promise<Page> {
    return this.inner.readAll(options);
  }

  head(): Promise<Position> {
    return this.inner.head();
  }

  subscribeAll(options: SubscribeOptions): AsyncIterable<SubscriptionItem> {
    return this.inner.subscribeAll(options);
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
