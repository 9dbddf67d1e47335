import { randomBytes } from 'node:crypto';

import {
  type Appended,
  type EventStore,
  type EventToAppend,
  type Page,
  type Position,
  type RecordedEvent,
} from '../port.js';

/** What an adapter may be unable to do; it says so, and the report of the test run shows it. */
export type Lack =
  /** Refuses an id that its stream holds at another place than this append would put it. */
  | 'refuses an id stored elsewhere in the stream'
  /** Recognises the retry of an append with expected version 'exists'. */
  | "recognises a retried append to 'exists'";

export interface EventStoreUnderTest {
  /** A store to use for one test; it need not be empty. `dispose` closes it and removes what it left. */
  readonly open: () => Promise<{ readonly store: EventStore; readonly dispose: () => Promise<void> }>;
  readonly lacks?: readonly Lack[];
}

export interface Bench {
  readonly store: EventStore;
  /** Where this test's events begin in a store that others have used. */
  readonly start: Position;
}

/** Runs a test against a store of its own. */
export function withStore(underTest: EventStoreUnderTest, body: (bench: Bench) => Promise<void>): () => Promise<void> {
  return async () => {
    const { store, dispose } = await underTest.open();
    try {
      await body({ store, start: await store.head() });
    } finally {
      await dispose();
    }
  };
}

/** A test of something that an adapter may declare it cannot do: then shown as skipped, with the declaration. */
export function itUnlessLacking(
  underTest: EventStoreUnderTest,
  ability: Lack,
  name: string,
  body: () => Promise<void>,
): void {
  if (underTest.lacks?.includes(ability)) it.skip(`${name} [declared: never ${ability}]`, body);
  else it(name, body);
}

/** No other test, and no other run against the same server, has this name. */
export function newStream(prefix = 'contract'): string {
  return `${prefix}-${randomBytes(8).toString('hex')}`;
}

export function newEvent(text = '{"n":1}', type = 'Happened'): EventToAppend {
  return { id: randomBytes(32).toString('hex'), type, text };
}

export function newEvents(count: number): [EventToAppend, ...EventToAppend[]] {
  const rest = Array.from({ length: count - 1 }, (_, i) => newEvent(`{"n":${i + 2}}`));
  return [newEvent(), ...rest];
}

/** @throws Error where the append met a conflict */
export async function mustAppend(store: EventStore, ...append: Parameters<EventStore['append']>): Promise<Appended> {
  const result = await store.append(...append);
  if (result.outcome === 'conflict') throw new Error(`unexpected conflict at version ${result.version}`);
  return result;
}

export async function readEverything(
  store: EventStore,
  after: Position,
  limit: number,
  types?: readonly string[],
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  let page: Page;
  do {
    page = await store.readAll({ after, limit, ...(types && { types }) });
    if (page.events.length > limit) throw new Error(`${page.events.length} events in a page of ${limit}`);
    events.push(...page.events);
    after = page.scannedTo;
  } while (!page.atHead);
  return events;
}

export const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);
