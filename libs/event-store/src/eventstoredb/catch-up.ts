import type { AllStreamResolvedEvent, AllStreamSubscription, Filter } from '@eventstore/db-client';
import { setTimeout as rest } from 'node:timers/promises';

import { comparePositions, type Position, positionOf, type RecordedEvent, type SubscriptionItem } from '../port.js';
import type { Connection } from './connection.js';
import { quietly, tooLate } from './failures.js';
import { fromWire, isSystem, placeOf, positionIn, recordOf } from './wire-events.js';

export interface CatchUpOptions {
  /** Exclusive. */
  readonly after: Position;
  readonly types?: readonly string[];
  readonly pageSize: number;
  readonly signal: AbortSignal;
  /** Told of each end that nobody asked for; the next attempt follows by itself. */
  readonly onDrop?: (error: unknown) => void;
  /** Told of a stream that was deleted or cut short, or whose metadata changed otherwise; without `types` alone. */
  readonly onCut?: (stream: string) => void;
}

/** Events that wait in this process between the connection and the page; more wait on the server. */
const BUFFERED = 256;
/** While a page is worked on nothing is taken from the connection, and the server may send no more than a window of bytes. */
const MAX_PAGE_EVENTS = 64;
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024;
/** Records that the server looks at between two checkpoints, where it finds nothing to send. */
const WINDOW = 1024;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 5_000;
/** What the server writes about itself has types that begin with $; of that, what ends a stream or cuts it short. */
const OURS_OR_CUT = '^([^$]|\\$metadata$|\\$streamDeleted$)';
/** The stream of a stream's metadata is called as that one, behind this. */
const METADATA_OF = '$$';

/**
 * The log from a position on, without gap or repetition, for as long as the signal lets it: a subscription that ends is
 * begun again behind the last event it gave, after a pause that grows while nothing comes. `caughtUp` comes once after
 * each beginning.
 */
export async function* catchUp(
  connection: Connection,
  options: CatchUpOptions,
): AsyncGenerator<SubscriptionItem, void, undefined> {
  const { signal, onDrop } = options;
  let { after } = options;
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const from = after;
    try {
      for await (const item of subscribeOnce(connection, { ...options, after })) {
        after = item.kind === 'page' ? item.page.scannedTo : item.position;
        yield item;
      }
    } catch (error) {
      if (signal.aborted) return;
      onDrop?.(error);
    }
    pause = after === from ? Math.min(2 * pause, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS;
    await quietly(rest(pause, undefined, { signal }));
  }
}

type Mark = { readonly mark: 'caughtUp' } | { readonly mark: 'checkpoint'; readonly position: Position };

/** One subscription of the client. @throws what ends it */
async function* subscribeOnce(
  connection: Connection,
  { after, types, pageSize, signal, onCut }: CatchUpOptions,
): AsyncGenerator<SubscriptionItem, void, undefined> {
  connection.refuseWhenClosed();
  const page = new PageMaker(after, types, pageSize, onCut);
  const subscription = subscribe(connection, after, types);
  const stop = (): void => void subscription.destroy();
  signal.addEventListener('abort', stop);
  const { deadlineMs } = connection;
  const unconfirmed = setTimeout(() => subscription.destroy(tooLate('a subscription', deadlineMs)), deadlineMs);
  subscription.once('confirmation', () => clearTimeout(unconfirmed));
  let isLive = false;
  try {
    for await (const item of subscription as AsyncIterable<AllStreamResolvedEvent | Mark>) {
      if (signal.aborted) return;
      if ('mark' in item) {
        if (item.mark === 'checkpoint') page.moveTo(item.position);
        else isLive = true;
        yield* page.flush(isLive);
        if (item.mark === 'caughtUp') yield { kind: 'caughtUp', position: page.scannedTo };
        continue;
      }
      page.take(item);
      if (page.isFull || (isLive && subscription.readableLength === 0)) yield* page.flush(isLive);
    }
  } finally {
    clearTimeout(unconfirmed);
    signal.removeEventListener('abort', stop);
    void quietly(subscription.unsubscribe());
  }
}

/** The marks stand among the events where they came: listeners alone would hear them before what is buffered is read. */
function subscribe(
  { client, options }: Connection,
  after: Position,
  types: readonly string[] | undefined,
): AllStreamSubscription {
  const mark = (one: Mark): void => void subscription.push(one);
  const filter: Filter = {
    filterOn: 'eventType',
    ...(types ? { prefixes: [...types] } : { regex: OURS_OR_CUT }),
    maxSearchWindow: WINDOW,
    checkpointInterval: 1,
    checkpointReached: async (_, { commit }) => mark({ mark: 'checkpoint', position: positionOf(commit) }),
  };
  const subscription: AllStreamSubscription = client.subscribeToAll(
    { ...options, fromPosition: placeOf(after), filter },
    { highWaterMark: BUFFERED },
  );
  // What ends it is told by the loop that reads it; what comes after the loop has no other listener.
  subscription.on('error', () => undefined);
  subscription.on('caughtUp', () => mark({ mark: 'caughtUp' }));
  return subscription;
}

class PageMaker {
  private events: RecordedEvent[] = [];
  private characters = 0;
  private given: Position;
  private readonly wanted: ReadonlySet<string> | undefined;

  constructor(
    public scannedTo: Position,
    types: readonly string[] | undefined,
    private readonly pageSize: number,
    private readonly onCut: CatchUpOptions['onCut'],
  ) {
    this.given = scannedTo;
    this.wanted = types && new Set(types);
  }

  get isFull(): boolean {
    return this.events.length >= Math.min(this.pageSize, MAX_PAGE_EVENTS) || this.characters >= MAX_PAGE_CHARACTERS;
  }

  /** The server filters by the beginnings of types, and by nothing else at once. */
  take(resolved: AllStreamResolvedEvent): void {
    const record = recordOf(resolved);
    if (!record) return;
    const position = positionIn(record);
    // A checkpoint of the phase of catching up lies before what was sent already; so may what follows a new beginning.
    if (comparePositions(position, this.scannedTo) <= 0) return;
    this.scannedTo = position;
    if (isSystem(record)) {
      const { streamId } = record;
      return this.onCut?.(streamId.startsWith(METADATA_OF) ? streamId.slice(METADATA_OF.length) : streamId);
    }
    if (this.wanted && !this.wanted.has(record.type)) return;
    const event = fromWire(record);
    this.events.push(event);
    this.characters += event.text.length;
  }

  moveTo(position: Position): void {
    if (comparePositions(position, this.scannedTo) > 0) this.scannedTo = position;
  }

  *flush(atHead: boolean): Generator<SubscriptionItem, void, undefined> {
    if (comparePositions(this.scannedTo, this.given) <= 0) return;
    const page = { events: this.events, scannedTo: this.scannedTo, atHead };
    this.events = [];
    this.characters = 0;
    this.given = this.scannedTo;
    yield { kind: 'page', page };
  }
}
