import { sameCanonical } from '#lib/kernel';

import { type SnapshotModule, snapshotModule } from './chunks.js';
import type { SelfrepConstants } from './constants.js';
import { evolveModule, type Module, type PlacedEvent } from './module.js';
import { isBeyond } from './positions.js';
import { Recomputation } from './recompute.js';

/** What a module's own events say of an entry in a snapshot. */
export interface Reduced {
  /** Whether the entry is what the events came to at some point, by the formulas of trust. */
  readonly equal: boolean;
  /** What the events come to where no point of them gives the entry; null where there are none. */
  readonly computed: SnapshotModule | null;
}

/**
 * Reduces a module again, up to the position of the snapshot that shows it: a snapshot is made of what its maker
 * had followed by then, so that some point of the stream must give exactly its entry, and every step of trust before that
 * point must follow from the constants of its time. What its maker could call follows from no event, and is left out.
 */
export class EntryReduction {
  private readonly told: Omit<SnapshotModule, 'not_callable'>;
  private readonly trust: Recomputation;
  private module: Module | null = null;
  private reduced: Reduced = { equal: false, computed: null };
  private isFound = false;

  /** @param eras the constants that were ever in force, oldest first, at least one */
  constructor(
    entry: SnapshotModule,
    private readonly position: string,
    eras: readonly SelfrepConstants[],
  ) {
    const { not_callable: _, ...told } = entry;
    this.told = told;
    this.trust = new Recomputation(eras);
  }

  /** Takes the events of the module's stream, verified, in their order, from its registration on. */
  take(event: PlacedEvent): void {
    if (this.isFound || isBeyond(event.position, this.position)) return;
    this.module = evolveModule(this.module, event);
    this.trust.take(event);
    const computed = this.module && snapshotModule(this.module);
    this.isFound = computed !== null && sameCanonical(computed, this.told);
    const trust = this.isFound ? this.trust.result : null;
    this.reduced =
      computed && this.isFound && !trust?.equal
        ? { equal: false, computed: { ...computed, apt: trust?.recomputed_apt ?? computed.apt } }
        : { equal: this.isFound, computed };
  }

  get result(): Reduced {
    return this.reduced;
  }
}
