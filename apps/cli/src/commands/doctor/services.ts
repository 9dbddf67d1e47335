import {
  eventAt,
  type EventStore,
  eventStoreDbFacts,
  openEventStoreDb,
  type RedisUrl,
  StoreUnavailableError,
} from '#lib/event-store';
import { RELEASES_STREAM } from '#lib/history';
import { HalfCopiedError, refuseHalfCopied } from '#lib/migration';
import { MongoAwayError, MongoConnection } from '#lib/mongodb';

import { inTime } from '../../../../api/src/in-time.js';
import type { Config } from '../../../../api/src/platform.config.js';
import { EXIT } from '../../exit-codes.js';
import { fail, type Finding, ok, warn } from './finding.js';
import { clock, schemas } from './log.js';

/** How long each is waited for. */
const WAIT_MS = 5_000;
const CLOCKS_APART_MS = 60_000;
const MAX_KEY_SET = 256 * 1024;

type Settings = Pick<Config, 'eventStoreDb' | 'mongoDb' | 'redis' | 'jwksUrl' | 'oidc' | 'witness' | 'kms'>;

/** Whatever is asked over the network, all at once; nothing is written there. */
export async function services(settings: Settings): Promise<Finding[]> {
  const { eventStoreDb, mongoDb, redis, jwksUrl, oidc, witness, kms } = settings;
  const looks = [
    ...(eventStoreDb ? [eventStore(eventStoreDb)] : []),
    ...(mongoDb ? [readStore(mongoDb)] : []),
    ...(redis ? [cache(redis)] : []),
    ...(jwksUrl ? [issuer(jwksUrl)] : []),
    ...(oidc
      ? [answers('MACE_OIDC_ISSUER', oidc.issuer.href, 'look at the issuer: nobody signs in to the console meanwhile')]
      : []),
    ...(witness ? [answers('MACE_WITNESS_URL', witness.url, 'look at the witness: checkpoints go without it')] : []),
    ...(kms
      ? [answers('MACE_KMS_URL', kms.url, 'look at the key service: nothing personal can be read without it')]
      : []),
  ];
  return (await Promise.all(looks)).flat();
}

async function eventStore({ url, shown }: { readonly url: string; readonly shown: string }): Promise<Finding[]> {
  const name = 'EVENTSTORE_URL';
  let store: EventStore | undefined;
  try {
    store = await inTime(() => openEventStoreDb({ url }), 2 * WAIT_MS);
    const { version, time } = await inTime(() => eventStoreDbFacts(url), WAIT_MS);
    const said = version === '' ? 'EventStoreDB' : `EventStoreDB ${version}`;
    return [
      isOlder(version)
        ? warn(name, `${said} answers at ${shown}`, 'upgrade it to 23.10 or later, which MACE is made for')
        : ok(name, `${said} answers at ${shown}`),
      ...(time === null ? [] : clocks('EventStoreDB', time)),
      ...(await logThere(store)),
    ];
  } catch (error) {
    if (error instanceof HalfCopiedError) return [fail(name, error.message, 'do not start MACE on it before')];
    const why = error instanceof StoreUnavailableError ? error.reason : (error as Error).message;
    return [away(name, `no EventStoreDB at ${shown}: ${why}`, todoFor(why, 'docs/eventstoredb.md'))];
  } finally {
    await store?.close();
  }
}

/** The log on a server: whether a start would take it. @throws HalfCopiedError, StoreUnavailableError */
async function logThere(store: EventStore): Promise<Finding[]> {
  await inTime(() => refuseHalfCopied(store), WAIT_MS);
  const newest = await inTime(async () => eventAt(store, await store.head()), WAIT_MS);
  const { events } = await inTime(() => store.readStream(RELEASES_STREAM), WAIT_MS);
  return [...clock(newest?.recordedAt ?? null, Date.now()), ...schemas(events.map(({ text }) => text))];
}

/** Than 23.10; one that does not say is taken for new. */
function isOlder(version: string): boolean {
  const [year = NaN, month = NaN] = version.split('.').map(Number);
  return year < 23 || (year === 23 && month < 10);
}

async function readStore({ url, shown }: { readonly url: string; readonly shown: string }): Promise<Finding[]> {
  const name = 'MONGODB_URL';
  let connection: MongoConnection | undefined;
  try {
    connection = await inTime(() => MongoConnection.open({ url, timeoutMs: WAIT_MS }), 2 * WAIT_MS);
    const hello = await connection.db.command({ hello: 1 });
    const kind = connection.hasTransactions ? 'with transactions' : 'a lone server, without transactions';
    const said = [ok(name, `MongoDB answers at ${shown}, ${kind}`)];
    const time: unknown = hello['localTime'];
    return [...said, ...(time instanceof Date ? clocks('MongoDB', time.getTime()) : [])];
  } catch (error) {
    const why = error instanceof MongoAwayError ? error.reason : (error as Error).message;
    return [away(name, `no MongoDB at ${shown}: ${why}`, todoFor(why, 'docs/mongodb.md'))];
  } finally {
    await connection?.close();
  }
}

/** Requests are served without it, only slower. */
async function cache({ host, port, tls, username, password, db, shown }: RedisUrl): Promise<Finding[]> {
  const { Redis } = await import('ioredis');
  const client = new Redis({
    ...{ host, port, db, lazyConnect: true, connectTimeout: WAIT_MS, maxRetriesPerRequest: 0 },
    ...{ retryStrategy: () => null, enableOfflineQueue: false, ...(tls && { tls: {} }) },
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  });
  let fault = '';
  client.on(
    'error',
    (error: NodeJS.ErrnoException) => (fault = error.code ?? /^[A-Z]+/.exec(error.message)?.[0] ?? 'ERR'),
  );
  try {
    const [seconds] = await inTime(async () => {
      await client.connect();
      return client.time();
    }, WAIT_MS);
    return [ok('REDIS_URL', `Redis answers at ${shown}`), ...clocks('Redis', Number(seconds) * 1000)];
  } catch (error) {
    const why = fault || ((error as Error).message.match(/^[A-Z]+/)?.[0] ?? 'no answer');
    const todo = 'see to Redis (docs/redis.md): reads go to the log meanwhile, and are slower';
    return [warn('REDIS_URL', `no Redis at ${shown}: ${why}`, todo)];
  } finally {
    client.disconnect();
  }
}

async function issuer(url: URL): Promise<Finding[]> {
  const name = 'MACE_JWKS_URL';
  const todo = 'mend it or the issuer: no token is taken meanwhile';
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(WAIT_MS) });
    const text = await response.text();
    if (response.status !== 200) return [away(name, `the issuer answers with status ${response.status}`, todo)];
    const { keys } = JSON.parse(text.slice(0, MAX_KEY_SET)) as { readonly keys?: readonly unknown[] };
    if (!Array.isArray(keys) || keys.length === 0) return [away(name, 'the issuer publishes no keys there', todo)];
    return [ok(name, `the issuer publishes ${keys.length} keys`), ...clocksOf('the issuer', response)];
  } catch (error) {
    return [away(name, `the issuer does not give its keys: ${reasonOf(error)}`, todo)];
  }
}

async function answers(name: string, url: string, todo: string): Promise<Finding[]> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(WAIT_MS), redirect: 'manual' });
    await response.body?.cancel();
    return [ok(name, 'it answers'), ...clocksOf(name, response)];
  } catch (error) {
    return [warn(name, `it does not answer: ${reasonOf(error)}`, todo)];
  }
}

function clocksOf(whose: string, response: Response): Finding[] {
  const told = Date.parse(response.headers.get('date') ?? '');
  return Number.isNaN(told) ? [] : clocks(whose, told);
}

/** @param told milliseconds since the Unix epoch by the other's clock */
export function clocks(whose: string, told: number, now = Date.now()): Finding[] {
  const apart = Math.round((told - now) / 1000);
  if (Math.abs(apart) * 1000 <= CLOCKS_APART_MS) return [];
  const found = `the clock of ${whose} is ${Math.abs(apart)} s ${apart > 0 ? 'ahead of' : 'behind'} this machine’s`;
  return [warn('clock', found, 'let both follow one time (chrony or ntpd): leases and tokens go by it')];
}

function away(check: string, found: string, todo: string): Finding {
  return fail(check, found, todo, EXIT.unavailable);
}

/** Who answers that nobody of that name may come in has been started, and is at that address. */
function todoFor(why: string, page: string): string {
  const isRefused = /password|authenticat|not authorized/i.test(why);
  return `${isRefused ? 'mend user and password of the connection string' : 'start it, or mend the address'} (${page})`;
}

/** The kind of a fault, never an address with a password in it. */
function reasonOf(error: unknown): string {
  const { cause, name } = error as { cause?: NodeJS.ErrnoException; name: string };
  return cause?.code ?? name;
}
