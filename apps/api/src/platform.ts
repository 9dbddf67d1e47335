import { existsSync } from 'node:fs';
import { join } from 'node:path';

import {
  accessEvents,
  Authenticator,
  Denials,
  IssuerKeys,
  KeyIntervals,
  keyFileIn,
  openKeyFile,
  Principals,
  RateLimits,
  Refusals,
  RevocationList,
  SecondFactors,
  TokenVerifier,
} from '#lib/access';
import { createLanguageEngine, type LanguageEngine } from '#lib/agents';
import {
  type CacheWatch,
  chargedArtifacts,
  EventCodec,
  EventLog,
  type FolderRoom,
  LruMap,
  type StateCache,
  StorageFullError,
  SubjectCiphers,
  type SubjectKeyStore,
} from '#lib/event-store';
import { ServiceFaults, watchEventStore, watchReadStore } from '#lib/incidents';
import { EventRegistry, type EventDefinition, type KeyRing, RequestDigests } from '#lib/kernel';
import { type FailureSpool, FileFailureSpool, principalNormalForm, SEM_FOLD, SpoolLines } from '#lib/memory';
import { Consents, detect, privacyPolicy } from '#lib/privacy';
import { DataFolder } from '#lib/sqlite';

import { faultShape, type Logger } from './edge/log.js';
import { outageLog } from './edge/outage-log.js';
import { keyWrappingOf } from './key-encryption.js';
import { countReads } from './metrics/counted-cache.js';
import { countAppends } from './metrics/counted-event-store.js';
import { Tallies } from './metrics/tallies.js';
import { type CacheLimits, openSharedCache, type SharedCache } from './platform.cache.js';
import type { Config } from './platform.config.js';
import { openRoom } from './platform.room.js';
import { openStores, type Stores } from './platform.stores.js';
import { RunMark } from './run-mark.js';
import { RunningParts } from './running-parts.js';
import { traceAppends, traceBatches } from './tracing/traced-stores.js';

/** Everything a process is made of below HTTP; one of these, put together here and nowhere else. */
export interface Platform extends Stores {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly ring: KeyRing;
  readonly registry: EventRegistry;
  readonly codec: EventCodec;
  readonly ciphers: SubjectCiphers;
  readonly events: EventLog;
  /** How much there is left for what is to be stored. */
  readonly room: Pick<FolderRoom, 'look' | 'used'>;
  /** Whether the configured cache answers; undefined where each process keeps its own only. */
  readonly cacheState: () => 'up' | 'down' | undefined;
  /** Null where no engine is configured. */
  readonly language: LanguageEngine | null;
  /** Whether the language engine is in service as far as is known; undefined where none is configured. */
  readonly engineState: () => 'up' | 'down' | undefined;
  readonly principals: Principals;
  readonly consents: Consents;
  readonly authenticator: Authenticator;
  readonly revocations: RevocationList;
  readonly secondFactors: SecondFactors;
  /** Undefined where there is no limit. */
  readonly rateLimits: RateLimits | undefined;
  readonly denials: Denials;
  /** Requests that were refused and left no other event. */
  readonly refusals: Refusals;
  readonly requestDigests: RequestDigests;
  readonly isPersonal: (text: string) => boolean;
  readonly log: Logger;
  readonly running: RunningParts;
  /** Who is told of stores and caches that go out of reach. */
  readonly faults: ServiceFaults;
  /** Where events wait that the log does not take. */
  readonly spool: FailureSpool;
  /** What is counted of its work. */
  readonly tallies: Tallies;
  readonly wiring: Wiring;
  /** Whether a process serves the data folder, for the one after it. */
  readonly mark: RunMark;
  /** Writes what waits, closes every store and gives the data folder back. */
  close(): Promise<void>;
}

/** What may be wired otherwise than the configuration says; each absent part is as it says. */
export interface Wiring {
  /** Stands between the stores and everything else. */
  readonly stores?: (stores: Stores) => Stores;
  /** Keeps what memory reads, behind this process's own cache. */
  readonly cache?: StateCache;
  /** How long and how often a configured cache is asked. */
  readonly cacheLimits?: Partial<CacheLimits>;
  /** Pause between two looks at a service that is out of reach, ms. */
  readonly outageIntervalMs?: number;
  /** Pause between two questions to a language engine that is out of service, ms. */
  readonly engineProbeMs?: number;
  /** Milliseconds since the Unix epoch, by which outages are overdue and unwrapped data keys lapse. */
  readonly now?: () => number;
}

/**
 * Opens a data folder for this process alone; what was opened is closed again where a later part refuses.
 * @throws DataFolderInUseError, DataFileError, KeyFileError, and what the stores throw
 */
export async function openPlatform(
  config: Config,
  definitions: readonly EventDefinition[],
  log: Logger,
  wiring: Wiring = {},
): Promise<Platform> {
  // Whatever this process writes is for its owner only: the data folder holds people's data and the keys to it.
  process.umask(0o077);
  const folder = DataFolder.take(config.dataDir);
  try {
    const ring = ringOf(config, folder);
    const registry = new EventRegistry([...accessEvents, ...definitions]);
    const opened = await openStores(config, folder, log, ring);
    const stores = wiring.stores?.(opened) ?? opened;
    const faults = new ServiceFaults();
    const { cache: given, cacheLimits: limits } = wiring;
    const { origin } = stores.proof;
    const watch = cacheWatch(faults);
    const tallies = new Tallies();
    const counted = (one: StateCache): StateCache => countReads(one, tallies.sharedReads);
    let cache: SharedCache | undefined;
    try {
      cache = await openSharedCache(config, given, { ring, origin, watch, log, counted, ...(limits && { limits }) });
      return assemble(config, folder, ring, registry, stores, log, wiring, faults, tallies, cache);
    } catch (error) {
      await cache?.close();
      await stores.closeStores();
      throw error;
    }
  } catch (error) {
    folder.release();
    throw error;
  }
}

/** Keys are drawn for a folder that holds neither events nor data keys yet, and only where none are given from outside. */
function ringOf(config: Config, folder: DataFolder): KeyRing {
  const isNew = !['events.db', 'subject-keys.db'].some((file) => existsSync(join(folder.path, file)));
  return openKeyFile(config.keysFile ?? keyFileIn(folder.path), {
    mayDraw: isNew && config.keysFile === undefined,
    production: config.mode === 'production',
    now: Date.now(),
  });
}

function assemble(
  config: Config,
  folder: DataFolder,
  ring: KeyRing,
  registry: EventRegistry,
  stores: Stores,
  log: Logger,
  wiring: Wiring,
  faults: ServiceFaults,
  tallies: Tallies,
  cache: SharedCache | undefined,
): Platform {
  const ciphers = new SubjectCiphers(stores.subjectKeys, keyWrappingOf(config, ring), wiring.now);
  const codec = new EventCodec(registry, ring, ciphers, wiring.now);
  const eventStore = traceAppends(countAppends(watchEventStore(stores.eventStore, faults), tallies));
  const { room, usage } = openRoom(config, folder, stores, log, (full) =>
    full === null ? faults.answered('storage') : faults.failed('storage', StorageFullError.name),
  );
  const events = new EventLog(eventStore, codec, new KeyIntervals({ store: eventStore, codec }, ring), room);
  if (cache) events.shareStates(SEM_FOLD, cache.states);
  const spool = openSpool(folder, ring, log);
  const isPersonal = personalDataCheck();
  const principals = new Principals(events, ring, { normalForm: principalNormalForm, isPersonal });
  const issuerKeys = config.jwksUrl && new IssuerKeys(config.jwksUrl);
  const takesOwn = config.mode === 'development' && issuerKeys === undefined;
  const names = { issuer: config.jwtIssuer, audience: config.jwtAudience };
  const tokens = new TokenVerifier(ring, names, issuerKeys, takesOwn);
  const onCountFault = outageLog(log, {
    fault: 'refused requests that were counted could not be recorded, and are counted on',
    over: 'refused requests are recorded again',
  });
  const requestDigests = new RequestDigests(ring);
  const denials = new Denials(events, onCountFault);
  const refusals = new Refusals(events, { digest: (text) => requestDigests.of(text), onFault: onCountFault });
  const revocations = new RevocationList(events);
  const authenticator = new Authenticator(tokens, principals, revocations);
  const language = createLanguageEngine(config.llmProviders, process.env, {
    failed: (fault) => faults.failed('language-engine', fault),
    answered: () => faults.answered('language-engine'),
  });
  const mark = new RunMark(folder.path);
  const close = async (): Promise<void> => {
    await denials.close();
    await refusals.close();
    await cache?.close();
    await usage.close();
    await stores.closeStores();
    mark.clear();
    folder.release();
  };
  return {
    ...stores,
    artifacts: chargedArtifacts(stores.artifacts, room),
    room,
    eventStore,
    readStore: traceBatches(watchReadStore(stores.readStore, faults)),
    config,
    folder,
    ring,
    registry,
    codec,
    ciphers,
    events,
    cacheState: () => (config.redis ? cache?.states.state : undefined),
    language,
    engineState: () => (language ? (faults.isDown('language-engine') ? 'down' : 'up') : undefined),
    principals,
    consents: new Consents(events, isPersonal, (person) => isGone(stores.subjectKeys, person)),
    authenticator,
    revocations,
    secondFactors: new SecondFactors(events),
    rateLimits: config.rateLimit && new RateLimits(config.rateLimit),
    denials,
    refusals,
    requestDigests,
    isPersonal,
    log,
    running: new RunningParts(),
    faults,
    spool,
    tallies,
    wiring,
    mark,
    close,
  };
}

function openSpool(folder: DataFolder, ring: KeyRing, log: Logger): FailureSpool {
  return new FileFailureSpool(join(folder.path, 'failure-spool.jsonl'), new SpoolLines(ring), {
    onFault: (fault) => log.error(faultShape(fault), 'events that wait for the log could not be kept on disk'),
    onRefused: (refused) =>
      log.error(
        refused,
        'the file of events that wait for the log holds what this server did not write: it is not appended, and was moved aside; look who writes in the data folder, then delete it',
      ),
  });
}

function cacheWatch(faults: ServiceFaults): CacheWatch {
  return { down: (fault) => faults.failed('cache', fault), up: () => faults.answered('cache') };
}

const MAX_KNOWN_CLEAN = 4096;

/** What is written like a name of a thing; sentences are not. */
const NAME = /^[\w.:-]{1,64}$/;

/** Path parts and keys repeat, so names that were found clean are remembered; nothing else is kept. */
function personalDataCheck(): (text: string) => boolean {
  let clean = new LruMap<string, true>(MAX_KNOWN_CLEAN);
  let policy = privacyPolicy();
  return (text) => {
    if (policy !== privacyPolicy()) [clean, policy] = [new LruMap(MAX_KNOWN_CLEAN), privacyPolicy()];
    if (clean.get(text)) return false;
    if (detect(text).some(({ category }) => category !== 'low')) return true;
    if (NAME.test(text)) clean.set(text, true);
    return false;
  };
}

/** Whether every data key of a person, in normal form, was destroyed; who comes back is given another. */
async function isGone(keys: Pick<SubjectKeyStore, 'listFor'>, person: string): Promise<boolean> {
  const records = await keys.listFor(person);
  return records.length > 0 && records.every(({ state }) => state === 'destroyed');
}
