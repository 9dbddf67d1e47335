import { type EventStore, StoreUnavailableError, type SubscribeOptions, type SubscriptionItem } from '#lib/event-store';
import { type ReadStore, ReadStoreUnavailableError } from '#lib/read-store';

import type { Service } from './domain/outages.events.js';

/** Who is told of services that go out of reach. */
export interface ServiceWatch {
  /**
   * @param fault the kind of error, which is recorded
   * @param reason what it said, for the line that operators read; never recorded
   */
  failed(service: Service, fault: string, reason?: string): void;
  answered(service: Service): void;
  isDown(service: Service): boolean;
}

/** Stands between the stores and whoever watches them, who comes later: what was said before is said again then. */
export class ServiceFaults implements ServiceWatch {
  private watch: ServiceWatch | undefined;
  private readonly early = new Map<Service, readonly [fault: string, reason?: string]>();

  follow(watch: ServiceWatch): void {
    this.watch = watch;
    for (const [service, fault] of this.early) watch.failed(service, ...fault);
    this.early.clear();
  }

  failed(service: Service, ...fault: [fault: string, reason?: string]): void {
    if (this.watch) this.watch.failed(service, ...fault);
    else this.early.set(service, fault);
  }

  isDown(service: Service): boolean {
    return this.watch?.isDown(service) ?? this.early.has(service);
  }

  answered(service: Service): void {
    if (this.watch) this.watch.answered(service);
    else this.early.delete(service);
  }
}

/** The same store; a call that finds it out of reach is told, beside the answer that its caller waits for. */
export function watchEventStore(store: EventStore, watch: Pick<ServiceWatch, 'failed'>): EventStore {
  const seen = watching((error) => {
    if (error instanceof StoreUnavailableError) watch.failed('event-store', error.name, error.reason);
  });
  return {
    ...(store.eventAt && { eventAt: (position) => seen(store.eventAt!(position)) }),
    ...(store.count && { count: (after) => seen(store.count!(after)) }),
    ...(store.readFirst && { readFirst: (streams) => seen(store.readFirst!(streams)) }),
    ...(store.readStreams && { readStreams: (parts) => seen(store.readStreams!(parts)) }),
    ...(store.knownVersion && { knownVersion: (stream) => store.knownVersion!(stream) }),
    append: (stream, expected, events) => seen(store.append(stream, expected, events)),
    readStream: (stream, options) => seen(store.readStream(stream, options)),
    streamVersion: (stream) => seen(store.streamVersion(stream)),
    readAll: (options) => seen(store.readAll(options)),
    head: () => seen(store.head()),
    subscribeAll: (options) => watchedPages(store, options, watch),
    close: () => store.close(),
  };
}

/** The same for a read store. */
export function watchReadStore(store: ReadStore, watch: Pick<ServiceWatch, 'failed'>): ReadStore {
  const seen = watching((error) => {
    if (error instanceof ReadStoreUnavailableError) watch.failed('read-store', error.name, error.message);
  });
  return {
    prepare: (...asked) => seen(store.prepare(...asked)),
    claim: (generation) => seen(store.claim(generation)),
    checkpoint: (generation) => seen(store.checkpoint(generation)),
    apply: (generation, batch) => seen(store.apply(generation, batch)),
    runnerState: (generation) => seen(store.runnerState(generation)),
    get: (generation, collection, id) => seen(store.get(generation, collection, id)),
    find: (generation, collection, options) => seen(store.find(generation, collection, options)),
    count: (generation, collection) => seen(store.count(generation, collection)),
    digest: (generation) => seen(store.digest(generation)),
    drop: (generation) => seen(store.drop(generation)),
    generations: (projection) => seen(store.generations(projection)),
    close: () => store.close(),
  };
}

/** Hands on the very promise it is given: nobody waits a turn longer because somebody looks. */
function watching(report: (error: unknown) => void): <T>(answer: Promise<T>) => Promise<T> {
  return (answer) => {
    answer.then(undefined, report);
    return answer;
  };
}

async function* watchedPages(
  store: EventStore,
  options: SubscribeOptions,
  watch: Pick<ServiceWatch, 'failed'>,
): AsyncGenerator<SubscriptionItem, void, undefined> {
  try {
    yield* store.subscribeAll(options);
  } catch (error) {
    if (error instanceof StoreUnavailableError) watch.failed('event-store', error.name, error.reason);
    throw error;
  }
}
