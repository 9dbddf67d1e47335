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

/** Trust computed anew from what happened, beside what was recorded of it. */
export class Recomputation {
  private era = 0;
  private state: { readonly node_id: string; stored: number; apt: number } | null = null;
  private outcomes = 0;
  private firstDifference: string | null = null;

  /**
   * @param eras the constants that were ever in force, oldest first, at least one; once a step follows from those of an
   * era, no later step may follow from those before
   */
  constructor(private readonly eras: readonly SelfrepConstants[]) {}

  /** Takes a module's events in their order. */
  take({ type, data, metadata }: PlacedEvent): void {
    const { health } = data as { health?: ModuleHealth };
    if (type === 'MODULE_REGISTERED') {
      const { node_id } = data as unknown as ModuleRegistered;
      this.state = { node_id, stored: health!.apt, apt: health!.apt };
      return;
    }
    const { state } = this;
    if (!state || !health) return;
    if (type === 'APT_EVENT') {
      for (const outcome of (data as unknown as AptEvent).outcomes) {
        const before = state.apt;
        state.apt = this.step(outcome.apt_after, (constants) => nextApt(before, outcome, constants));
        this.outcomes++;
        if (state.apt !== outcome.apt_after) this.firstDifference ??= outcome.event_id;
      }
    } else if (
      (type === 'MODULE_RESTORED' && data['from'] === 'offline') ||
      // An endpoint that is back raises it; a language engine that is back took nothing away.
      (type === 'MODULE_RECOVERED' && health.apt !== state.apt)
    ) {
      const before = state.apt;
      state.apt = this.step(health.apt, ({ apt_init }) => round9(Math.max(before, apt_init)));
    }
    state.stored = health.apt;
    if (state.apt !== state.stored) this.firstDifference ??= metadata.event_id;
  }

  /** Null where no module was registered. */
  get result(): Recomputed | null {
    if (!this.state) return null;
    const { node_id, stored, apt } = this.state;
    const { outcomes, firstDifference: first_difference } = this;
    return { node_id, apt: stored, recomputed_apt: apt, equal: first_difference === null, outcomes, first_difference };
  }

  private step(stored: number, by: (constants: SelfrepConstants) => number): number {
    const found = this.eras.findIndex((constants, i) => i >= this.era && by(constants) === stored);
    if (found >= 0) this.era = found;
    return by(this.eras[this.era]!);
  }
}
