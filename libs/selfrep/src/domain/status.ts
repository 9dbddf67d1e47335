import { atLeast } from '#lib/kernel';

import type { SelfrepConstants } from './constants.js';
import type { ModuleHealth } from './module.events.js';

/** The health of a module that nothing has happened to yet. */
export function newHealth(apt: number, constants: SelfrepConstants): ModuleHealth {
  const none: ModuleHealth = {
    apt,
    status: 'degraded',
    status_reason: '',
    consecutive_failures: 0,
    total_calls: 0,
    last_failure_ts: null,
    trust_events: 0,
  };
  return settled(none, constants);
}

/**
 * The status that follows from the numbers: healthy -> degraded -> offline, and degraded -> healthy. Out of offline and
 * quarantined leads only what people decide.
 */
export function settled(health: ModuleHealth, constants: SelfrepConstants): ModuleHealth {
  if (health.status === 'offline' || health.status === 'quarantined') return health;
  const { consecutive_failures: failures, trust_events, apt } = health;
  if (failures >= constants.fails_offline) {
    return { ...health, status: 'offline', status_reason: inARow(health) };
  }
  if (health.card_changed !== undefined) return degraded(health, 'its agent card is another than was approved');
  if (failures > 0) {
    return degraded(health, failures === 1 ? 'the last call failed' : `the last ${failures} calls failed`);
  }
  if (trust_events < constants.min_trust_events) {
    return degraded(health, `fewer than ${constants.min_trust_events} trust events`);
  }
  if (!atLeast(apt, constants.healthy_min_apt)) return degraded(health, `trust below ${constants.healthy_min_apt}`);
  return { ...health, status: 'healthy', status_reason: 'trusted, and the last call did not fail' };
}

/** What `settled` says of it, with the count of then: turns that were under way go on counting while it is offline. */
const OF_FAILURES = /^[0-9]+ failures( of its language engine)? in a row$/;

/** Whether failures took it offline, and nothing else has since. */
export function isOfFailures(health: ModuleHealth): boolean {
  return health.status === 'offline' && OF_FAILURES.test(health.status_reason);
}

/** Whether failures of its language engine alone took it offline: then the engine's recovery brings it back. */
export function isOfEngineAlone(health: ModuleHealth): boolean {
  return isOfFailures(health) && health.status_reason.includes('engine');
}

function inARow({ consecutive_failures, engine_failures }: ModuleHealth): string {
  return `${consecutive_failures} failures${engine_failures === consecutive_failures ? ' of its language engine' : ''} in a row`;
}

function degraded(health: ModuleHealth, status_reason: string): ModuleHealth {
  return { ...health, status: 'degraded', status_reason };
}
