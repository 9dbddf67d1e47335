import type { CommandStartedEvent, Db, MongoClient, MongoClientOptions } from 'mongodb';

import { isRefused, wordsOf } from './failures.js';
import { parseMongoUrl } from './url.js';

export interface MongoConnectionOptions {
  readonly url: string;
  /** How long the start waits for a server that takes writes. Default 0: one attempt. */
  readonly waitMs?: number;
  /** Why the start waits; told once a reason. */
  readonly onWaiting?: (reason: string) => void;
  /** Bound of each step of a call (finding a server, a free connection, the answer) that the URL does not bound. */
  readonly timeoutMs?: number;
  /** Every command that is sent, as the driver tells it. */
  readonly onCommand?: (event: CommandStartedEvent) => void;
}

/** MongoDB could not be reached or refused us at the start. */
export class MongoAwayError extends Error {
  constructor(
    readonly shown: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`no MongoDB at ${shown}: ${reason}`, options);
    this.name = 'MongoAwayError';
  }
}

const DEFAULT_TIMEOUT_MS = 20_000;
/** At the start: how long one try looks for a server, and the pause until the next. */
const TRY_MS = 3000;
const PAUSE_MS = 250;
const WIRE_VERSION_5_0 = 13;

/**
 * One client for all stores of a process. Writes are acknowledged by a majority and its journal; reads are of the
 * primary and of what a majority has (on a lone server: of what it has).
 *
 * No call hangs: each step is bounded, and the driver repeats a read or write at most once, so that each command ends
 * within a few times the bound, with an error where it must.
 */
export class MongoConnection {
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly client: MongoClient,
    readonly db: Db,
    /** Whether the server is part of a replica set or a sharded cluster, which both have transactions. Asked once. */
    readonly hasTransactions: boolean,
    /** The bound of one step, also for the server. */
    readonly timeoutMs: number,
  ) {}

  /** @throws MongoUrlError, MongoAwayError */
  static async open(options: MongoConnectionOptions): Promise<MongoConnection> {
    const url = parseMongoUrl(options.url);
    // 0.2 s that the embedded stores need not wait for.
    const { MongoClient: Client } = await import('mongodb');
    const clientWith = (more: MongoClientOptions): MongoClient => {
      try {
        return new Client(url.url, { ...settings(url.options, options), ...more });
      } catch (error) {
        throw new MongoAwayError(url.shown, wordsOf(error), { cause: error });
      }
    };
    const hello = await answered(clientWith, url.shown, options);
    // Reads of one moment outside a transaction are there since 5.0.
    if (Number(hello['maxWireVersion']) < WIRE_VERSION_5_0) {
      throw new MongoAwayError(url.shown, 'the server is older than MongoDB 5.0');
    }
    const hasTransactions = typeof hello['setName'] === 'string' || hello['msg'] === 'isdbgrid';
    const client = clientWith({ readConcernLevel: hasTransactions ? 'majority' : 'local' });
    if (options.onCommand) client.on('commandStarted', options.onCommand);
    const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    return new MongoConnection(client, client.db(url.database), hasTransactions, timeoutMs);
  }

  get isClosed(): boolean {
    return this.closing !== undefined;
  }

  /** For a transaction, or for reads that are all of one moment. */
  session(kind: 'transaction' | 'snapshot') {
    return this.client.startSession({ snapshot: kind === 'snapshot' });
  }

  /** Again is no error. */
  close(): Promise<void> {
    this.closing ??= this.client.close();
    return this.closing;
  }
}

function settings(given: ReadonlySet<string>, options: MongoConnectionOptions): MongoClientOptions {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, onCommand } = options;
  const bounds = {
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    socketTimeoutMS: timeoutMs,
    waitQueueTimeoutMS: timeoutMs,
  };
  return {
    ...Object.fromEntries(Object.entries(bounds).filter(([name]) => !given.has(name.toLowerCase()))),
    ...(given.has('appname') ? {} : { appName: 'mace' }),
    ...(onCommand && { monitorCommands: true }),
    writeConcern: { w: 'majority', journal: true },
    readPreference: 'primary',
  };
}

/** What the first server says of itself that takes writes. A client of its own, so that no try is longer than a moment. */
async function answered(
  clientWith: (more: MongoClientOptions) => MongoClient,
  shown: string,
  { waitMs = 0, onWaiting, timeoutMs = DEFAULT_TIMEOUT_MS }: MongoConnectionOptions,
): Promise<Record<string, unknown>> {
  const until = performance.now() + waitMs;
  let told: string | undefined;
  for (;;) {
    const client = clientWith({ serverSelectionTimeoutMS: Math.min(timeoutMs, TRY_MS), maxPoolSize: 1 });
    try {
      return await client.db('admin').command({ hello: 1 });
    } catch (error) {
      const reason = wordsOf(error);
      if (isRefused(error) || performance.now() >= until) throw new MongoAwayError(shown, reason, { cause: error });
      if (told !== reason) onWaiting?.(reason);
      told = reason;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    } finally {
      await client.close();
    }
  }
}
