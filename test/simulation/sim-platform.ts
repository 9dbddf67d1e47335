import {
  accessEvents,
  Authenticator,
  Denials,
  Refusals,
  fixtureKeyRing,
  Principals,
  RevocationList,
  SecondFactors,
  TokenVerifier,
} from '#lib/access';
import { EventCodec, EventLog, type EventStore, StoreUnavailableError, SubjectCiphers } from '#lib/event-store';
import { ServiceFaults } from '#lib/incidents';
import { EventRegistry, RequestDigests } from '#lib/kernel';
import { principalNormalForm } from '#lib/memory';
import { Consents, detect } from '#lib/privacy';
import { ReadStoreUnavailableError } from '#lib/read-store';

import { EVENT_DEFINITIONS } from '../../apps/api/src/event-definitions.js';
import type { Logger } from '../../apps/api/src/edge/log.js';
import { Tallies } from '../../apps/api/src/metrics/tallies.js';
import { readConfig } from '../../apps/api/src/platform.config.js';
import type { Platform } from '../../apps/api/src/platform.js';
import { RunningParts } from '../../apps/api/src/running-parts.js';
import { FaultyEventStore } from '../../libs/event-store/src/faults/faulty-event-store.js';
import type { Draw } from './draw.js';
import { ScheduledEventStore, scheduledPort } from './scheduled-stores.js';
import { NETWORK, type Owner, type Scheduler } from './scheduler.js';
import type { Weather } from './weather.js';
import type { World } from './world.js';

/** What a process is started in. */
export interface SimSetting {
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly weather: Weather;
  readonly draw: Draw;
  /** Most events of a page. */
  readonly pageLimit: number;
  /** Stands between the stored log and the faults; for what a test breaks on purpose. */
  readonly log?: (log: EventStore) => EventStore;
  /** Told of what a process would write into its own log. */
  readonly note: (line: string) => void;
}

export const RING = fixtureKeyRing();
export const REGISTRY = new EventRegistry([...accessEvents, ...EVENT_DEFINITIONS]);

const OUTAGE_MS = [20, 3000] as const;
const READ_STORE_WRITES = ['prepare', 'claim', 'apply', 'drop'];
const KEY_WRITES = ['create', 'rewrap', 'destroy', 'destroyAllOf', 'refuse', 'readmit'];

/** A platform as apps/api assembles it, on the stores of the world as one process reaches them. */
export function simPlatform(setting: SimSetting, owner: Owner): Platform {
  const { world, note } = setting;
  const eventStore = eventStoreOf(setting, owner);
  const subjectKeys = portOf(setting, 'keys', world.keys, KEY_WRITES, (why) => new StoreUnavailableError(why));
  const ciphers = new SubjectCiphers(subjectKeys, RING);
  const codec = new EventCodec(REGISTRY, RING, ciphers, () => setting.scheduler.now);
  const events = new EventLog(eventStore, codec);
  const principals = new Principals(events, RING, { normalForm: principalNormalForm, isPersonal });
  const config = { ...readConfig({}), llmProviders: [PROVIDER] };
  const tokens = new TokenVerifier(RING, { issuer: 'mace', audience: 'mace' }, undefined, true);
  const revocations = new RevocationList(events);
  const unavailable = (why: string): Error => new ReadStoreUnavailableError(why);
  const onCountFault = (fault: unknown): void => {
    if (fault !== null) note(`refusals: ${fault instanceof Error ? fault.message : typeof fault}`);
  };
  const parts: Omit<Platform, 'folder' | 'proof' | 'mark'> = {
    eventStore,
    readStore: portOf(setting, 'documents', world.documents, READ_STORE_WRITES, unavailable),
    subjectKeys,
    artifacts: portOf(setting, 'artifacts', world.artifacts, ['put', 'delete'], (why) => new Error(why)),
    appendFault: () => null,
    closeStores: () => Promise.resolve(),
    config,
    ring: RING,
    registry: REGISTRY,
    codec,
    ciphers,
    events,
    room: { look: () => null, used: 0 },
    cacheState: () => undefined,
    language: null,
    engineState: () => undefined,
    principals,
    consents: new Consents(events, isPersonal, () => Promise.resolve(false)),
    authenticator: new Authenticator(tokens, principals, revocations),
    revocations,
    secondFactors: new SecondFactors(events),
    rateLimits: undefined,
    denials: new Denials(events, onCountFault),
    refusals: new Refusals(events, { digest: (text) => text, onFault: onCountFault }),
    requestDigests: new RequestDigests(RING),
    isPersonal,
    log: loggerOf(note),
    running: new RunningParts(),
    faults: new ServiceFaults(),
    spool: world.spool,
    tallies: new Tallies(),
    wiring: {},
    close: () => Promise.resolve(),
  };
  // Nothing that is simulated looks into a data folder or at checkpoints.
  return { ...parts, proof: {}, mark: { left: undefined } } as unknown as Platform;
}

/** Never reached: what would be asked of it is answered by the simulation (providers.ts). */
const PROVIDER = { base_url: 'http://language.test/v1', api_key_env: 'NONE', model: 'simulated', timeout_ms: 5000 };

export function isPersonal(text: string): boolean {
  return detect(text).some(({ category }) => category !== 'low');
}

function eventStoreOf(setting: SimSetting, owner: Owner): ScheduledEventStore {
  const { world, scheduler, weather, draw, pageLimit, log } = setting;
  const turn = (): Promise<void> => scheduler.call('turn', () => Promise.resolve(), { owner: NETWORK });
  const faulty = new FaultyEventStore(
    log?.(world.log) ?? world.log,
    (call) => {
      const fault = weather.plan(call);
      if (fault?.kind === 'crash') scheduler.timer('revive', draw.between(...OUTAGE_MS), () => faulty.revive());
      return fault;
    },
    turn,
  );
  const store = new ScheduledEventStore(faulty, scheduler, pageLimit);
  world.log.onAppended((head) => store.heard(head, owner));
  return store;
}

function portOf<T extends object>(
  { scheduler, weather }: SimSetting,
  name: string,
  inner: T,
  writes: readonly string[],
  unavailable: (why: string) => Error,
): T {
  return scheduledPort(inner, scheduler, { name, writes, unavailable, fault: weather.portFault });
}

function loggerOf(note: (line: string) => void): Logger {
  const say = (facts: unknown, text: string): void => note(`${text}: ${JSON.stringify(facts)}`);
  const silent = (): void => undefined;
  return { debug: silent, info: silent, warn: say, error: say, isLevelEnabled: () => false } as unknown as Logger;
}
