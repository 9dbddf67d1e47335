import type { CommandStartedEvent, Db, MongoClient, MongoClientOptions } from 'mongodb';

import { boundedDb } from './bounded.js';
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

/** A call had no answer in time; whether it was carried out is unknown. */
export class MongoCallTimeoutError extends Error {
  constructor(what: string, ms: number) {
    super(`${what} had no answer within ${ms / 1000} s; whether it was carried out is unknown`);
    this.name = 'MongoCallTimeoutError';
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
 * No call hangs: the driver bounds each step of one (finding a server, a free connection, the answer), and `inTime` all of
 * them together. That is our own clock: the driver's `timeoutMS` has no effect since 7.8, and a write that waits for room in
 * a socket waits for ever where that socket is destroyed. What hangs keeps its connection, so that the client is then
 * replaced by another.
 */
export class MongoConnection {
  readonly db: Db;
  private client: MongoClient;
  private readonly replaced = new Set<MongoClient>();
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly newClient: () => MongoClient,
    database: string,
    /** Whether the server is part of a replica set or a sharded cluster, which both have transactions. Asked once. */
    readonly hasTransactions: boolean,
    /** The bound of one step, also for the server. */
    readonly timeoutMs: number,
  ) {
    this.client = newClient();
    this.db = boundedDb(
      () => this.client.db(database),
      (what, given) => this.inTime(what, given),
    );
  }

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
    const newClient = (): MongoClient => {
      const client = clientWith({ readConcernLevel: hasTransactions ? 'majority' : 'local' });
      if (options.onCommand) client.on('commandStarted', options.onCommand);
      return client;
    };
    const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    return new MongoConnection(newClient, url.database, hasTransactions, timeoutMs);
  }

  get isClosed(): boolean {
    return this.closing !== undefined;
  }

  /** For a transaction, or for reads that are all of one moment. What is asked of it itself is waited for by `inTime`. */
  session(kind: 'transaction' | 'snapshot') {
    return this.client.startSession({ snapshot: kind === 'snapshot' });
  }

  /**
   * Waits for a call of the driver, at most as long as all its steps may take. Those of `db` are waited for so; for those of
   * a session.
   * @throws MongoCallTimeoutError
   */
  async inTime<T>(what: string, given: Promise<T>): Promise<T> {
    const { client } = this;
    const ms = mostMs(client);
    return within(ms, given, () => {
      this.replace(client, ms);
      return new MongoCallTimeoutError(what, ms);
    });
  }

  /** Again is no error. */
  close(): Promise<void> {
    this.closing ??= Promise.all([this.client, ...this.replaced].map(ended)).then(() => undefined);
    return this.closing;
  }

  /** Calls that are under way on it have as long as they may take. */
  private replace(client: MongoClient, ms: number): void {
    if (this.client !== client || this.closing) return;
    this.client = this.newClient();
    this.replaced.add(client);
    setTimeout(() => {
      if (this.closing) return;
      // What it was asked for has ended by now, and nobody asks it again: how it ends changes nothing.
      void ended(client).catch(() => undefined);
      this.replaced.delete(client);
    }, ms).unref();
  }
}

function ended(client: MongoClient): Promise<void> {
  const ms = mostMs(client);
  return within(ms, client.close(), () => new MongoCallTimeoutError('the end of a client', ms));
}

async function within<T>(ms: number, given: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const lateness = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(late()), ms)));
  try {
    return await Promise.race([given, lateness]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the driver may take for the steps of one call. */
function mostMs({ options }: MongoClient): number {
  return options.serverSelectionTimeoutMS + options.waitQueueTimeoutMS + (options.socketTimeoutMS ?? 0);
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
      const ms = mostMs(client);
      const hello = client.db('admin').command({ hello: 1 });
      return await within(ms, hello, () => new MongoCallTimeoutError('hello', ms));
    } catch (error) {
      const reason = wordsOf(error);
      if (isRefused(error) || performance.now() >= until) throw new MongoAwayError(shown, reason, { cause: error });
      if (told !== reason) onWaiting?.(reason);
      told = reason;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    } finally {
      await ended(client);
    }
  }
}
