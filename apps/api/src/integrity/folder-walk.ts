import { accessEvents, keyFileIn, openKeyFile, retiredKeys } from '#lib/access';
import { EventCodec, EventLog, IntegrityError, SubjectCiphers, UnknownSubjectKeyError } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import {
  countEvents,
  type DataKey,
  type Fault,
  eventKeysOf,
  lookAt,
  startWalkThread,
  walkLog,
  WalkFile,
  type WalkOwner,
  walkOf,
  type WalkState,
} from '#lib/integrity';
import { EventRegistry } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import { EVENT_DEFINITIONS } from '../event-definitions.js';
import { createLogger } from '../edge/log.js';
import { keyWrappingOf } from '../key-encryption.js';
import type { Config } from '../platform.config.js';
import { readSideOf } from '../platform.read-side.js';
import { openEventStore } from '../platform.stores.js';
import { lookersOn } from './lookers.js';
import { integrityRules } from './rules.js';

export interface FolderWalk {
  /** Threads that check, 1 to 8. */
  readonly workers: number;
  /** Most events a second; null: no limit. */
  readonly maxRate: number | null;
  readonly onProgress: (state: WalkState) => void;
}

export interface WalkedFolder {
  readonly state: WalkState;
  readonly found: readonly Fault[];
}

/**
 * Walks the log of a folder on which no application can be opened, because what one reads at its start is not what was
 * signed. Nothing is recorded or quarantined, and no tree is compared.
 * @param held the folder, where the caller holds it already, and goes on holding it
 * @throws DataFolderInUseError, KeyFileError, DataFileError, EventStoreAwayError, MongoAwayError
 */
export async function walkFolder(config: Config, options: FolderWalk, held?: DataFolder): Promise<WalkedFolder> {
  const folder = held ?? DataFolder.take(config.dataDir);
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(store: T): T => {
    opened.push(store);
    return store;
  };
  try {
    const file = config.keysFile ?? keyFileIn(folder.path);
    const ring = openKeyFile(file, { mayDraw: false, production: config.mode === 'production', now: Date.now() });
    const logger = createLogger(config);
    const events = keep(await openEventStore(config, folder, logger, () => undefined));
    const readSide = readSideOf(config, folder, logger);
    const keys = keep(await readSide.subjectKeys());
    const artifacts = keep(await readSide.artifacts());
    const registry = new EventRegistry([...accessEvents, ...EVENT_DEFINITIONS]);
    const ciphers = new SubjectCiphers(keys, keyWrappingOf(config, ring));
    const log = new EventLog(events, new EventCodec(registry, ring, ciphers));
    const lookers = lookersOn(log, new Snapshots(log, ring), artifacts, keys);
    const found: Fault[] = [];
    const owner: WalkOwner = {
      look: (looks) => lookAt(looks, lookers),
      keys: (kids) => keysOf(ciphers, kids),
      onProgress: options.onProgress,
      onFaults: (faults) => void found.push(...faults),
    };
    const total = events.count ? Number(await events.head()) : await countEvents(events);
    const begin = walkOf('iv-folder', 'local', new Date().toISOString(), total);
    const rules = integrityRules(registry, await retired(log));
    const { workers, maxRate } = options;
    const walk = { folder: folder.path, rules, resume: false, maxRate };
    const { signal } = new AbortController();
    const state = events.count
      ? await startWalkThread({ ...walk, ring: eventKeysOf(ring), background: false, begin, workers }, owner).ended
      : await walkLog(begin, { ...walk, store: events, ring, keys: owner, host: owner, signal });
    // No server goes on with it: it has nobody who could record its end.
    const place = new WalkFile(folder.path, ring);
    place.begin();
    place.close();
    return { state, found };
  } finally {
    for (const store of opened.reverse()) await store.close();
    if (!held) folder.release();
  }
}

/** By a history that is itself changed nothing is told of keys; the walk finds that it is. */
async function retired(log: EventLog): Promise<Readonly<Record<string, string>>> {
  try {
    return await retiredKeys(log, 'event-hmac');
  } catch (error) {
    if (error instanceof IntegrityError) return {};
    throw error;
  }
}

async function keysOf(ciphers: SubjectCiphers, kids: readonly string[]): Promise<ReadonlyMap<string, DataKey>> {
  const keys = new Map<string, DataKey>();
  for (const kid of kids) {
    try {
      const cipher = await ciphers.forKid(kid);
      keys.set(kid, cipher === 'destroyed' ? cipher : cipher.dataKey);
    } catch (error) {
      if (!(error instanceof UnknownSubjectKeyError)) throw error;
      keys.set(kid, 'unknown');
    }
  }
  return keys;
}
