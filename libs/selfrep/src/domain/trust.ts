import { clamp, round9 } from '#lib/kernel';

import type { SelfrepConstants } from './constants.js';
import type { ModuleHealth, OutcomeType, TrustOutcome } from './module.events.js';
import { settled } from './status.js';

/** What happened, before anybody has drawn a conclusion from it. */
export type Incoming = Omit<TrustOutcome, 'apt_before' | 'apt_after'>;

export interface Judged {
  readonly outcome: TrustOutcome;
  readonly health: ModuleHealth;
}

/** Notes and feedback are kept and change nothing. */
export function movesTrust(type: OutcomeType): boolean {
  return type !== 'OPERATIONAL_NOTE' && type !== 'USER_FEEDBACK';
}

/**
 * Trust after one event, rounded to 9 decimals (spec/decisions.md "SelfRepresentation and trust").
 * @returns a number of [0, 1] wherever `apt` and `new_apt` are
 */
export function nextApt(apt: number, event: Incoming, constants: SelfrepConstants): number {
  const kept = apt * (1 - constants.decay);
  switch (event.event_type) {
    case 'COUNCIL_APPROVAL':
      return trust(kept + (event.approve === true ? constants.approval_gain : 0));
    case 'GROUND_TRUTH_LABEL':
      return trust(kept + (event.correct === true ? constants.approval_gain : 0));
    case 'AGENT_TIMEOUT':
    case 'AGENT_EXCEPTION':
      return trust(kept - constants.failure_penalty);
    case 'MANUAL_OVERRIDE':
      return trust(event.new_apt ?? apt);
    default:
      return apt;
  }
}

/** Health after one event: trust, failures in a row, then the status that follows. */
export function judge(health: ModuleHealth, event: Incoming, constants: SelfrepConstants): Judged {
  const apt_after = nextApt(health.apt, event, constants);
  const outcome: TrustOutcome = { ...event, apt_before: health.apt, apt_after };
  if (!movesTrust(event.event_type)) return { outcome, health };
  const isOfEngine = event.event_type === 'LLM_SERVICE_DOWN';
  const failed = isOfEngine || event.event_type === 'AGENT_TIMEOUT' || event.event_type === 'AGENT_EXCEPTION';
  const called = failed || event.event_type === 'AGENT_SUCCESS';
  const { engine_failures = 0, recoveries, ...before } = health;
  const ofEngine = failed ? engine_failures + Number(isOfEngine) : called ? 0 : engine_failures;
  const moved: ModuleHealth = {
    ...before,
    apt: apt_after,
    consecutive_failures: failed ? health.consecutive_failures + 1 : called ? 0 : health.consecutive_failures,
    ...(ofEngine === 0 ? {} : { engine_failures: ofEngine }),
    ...(recoveries === undefined || event.event_type === 'AGENT_SUCCESS' ? {} : { recoveries }),
    total_calls: health.total_calls + (called ? 1 : 0),
    last_failure_ts: failed ? event.timestamp : health.last_failure_ts,
    trust_events: health.trust_events + 1,
  };
  return { outcome, health: settled(moved, constants) };
}

function trust(apt: number): number {
  return round9(clamp(apt, 0, 1));
}
