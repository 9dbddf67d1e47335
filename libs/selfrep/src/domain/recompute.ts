import { round9 } from '#lib/kernel';

import type { SelfrepConstants } from './constants.js';
import type { AptEvent, ModuleHealth, ModuleRegistered } from './module.events.js';
import type { PlacedEvent } from './module.js';
import { nextApt } from './trust.js';

export interface Recomputed {
  readonly node_id: string;
  /** As stored. */
  readonly apt: number;
  /** By the formulas, from the registration on. */
  readonly recomputed_apt: number;
  readonly equal: boolean;
  readonly outcomes: number;
  /** The first event whose stored trust is not what the formulas give; null where there is none. */
  readonly first_difference: string | null;
}

/**
 * Trust computed anew from what happened, beside what was recorded of it.
 * @param eras the constants that were ever in force, oldest first, at least one; once a step follows from those of an
 * era, no later step may follow from those before
 */
export function recompute(events: readonly PlacedEvent[], eras: readonly SelfrepConstants[]): Recomputed | null {
  let era = 0;
  const step = (stored: number, by: (constants: SelfrepConstants) => number): number => {
    const found = eras.findIndex((constants, i) => i >= era && by(constants) === stored);
    if (found >= 0) era = found;
    return by(eras[era]!);
  };
  let result: { node_id: string; stored: number; apt: number } | null = null;
  let outcomes = 0;
  let first_difference: string | null = null;
  for (const { type, data, metadata } of events) {
    const { health } = data as { health?: ModuleHealth };
    if (type === 'MODULE_REGISTERED') {
      const { node_id } = data as unknown as ModuleRegistered;
      result = { node_id, stored: health!.apt, apt: health!.apt };
      continue;
    }
    if (!result || !health) continue;
    if (type === 'APT_EVENT') {
      for (const outcome of (data as unknown as AptEvent).outcomes) {
        const before = result.apt;
        result.apt = step(outcome.apt_after, (constants) => nextApt(before, outcome, constants));
        outcomes++;
        if (result.apt !== outcome.apt_after) first_difference ??= outcome.event_id;
      }
    } else if (type === 'MODULE_RESTORED' && data['from'] === 'offline') {
      const before = result.apt;
      result.apt = step(health.apt, ({ apt_init }) => round9(Math.max(before, apt_init)));
    }
    result.stored = health.apt;
    if (result.apt !== result.stored) first_difference ??= metadata.event_id;
  }
  if (!result) return null;
  const { node_id, stored, apt } = result;
  return { node_id, apt: stored, recomputed_apt: apt, equal: first_difference === null, outcomes, first_difference };
}
