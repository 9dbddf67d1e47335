import { sameCanonical } from '#lib/kernel';

import { type SnapshotModule, snapshotModule } from './chunks.js';
import type { SelfrepConstants } from './constants.js';
import { evolveModule, type Module, type PlacedEvent } from './module.js';
import { isBeyond } from './positions.js';
import { recompute } from './recompute.js';

/** What a module's own events say of an entry in a snapshot. */
export interface Reduced {
  /** Whether the entry is what the events came to at some point, by the formulas of trust. */
  readonly equal: boolean;
  /** What the events come to where no point of them gives the entry; null where there are none. */
  readonly computed: SnapshotModule | null;
}

/**
 * Reduces a module's events again, up to the position of the snapshot that shows it: a snapshot is made of what its maker
 * had followed by then, so that some point of the stream must give exactly its entry, and every step of trust before that
 * point must follow from the constants of its time. What its maker could call follows from no event, and is left out.
 * @param events of the module's stream, verified, from its registration on
 * @param eras the constants that were ever in force, oldest first, at least one
 */
export function reduceEntry(
  entry: SnapshotModule,
  events: readonly PlacedEvent[],
  position: string,
  eras: readonly SelfrepConstants[],
): Reduced {
  const { not_callable: _, ...told } = entry;
  let module: Module | null = null;
  let computed: SnapshotModule | null = null;
  for (const [i, event] of events.entries()) {
    if (isBeyond(event.position, position)) break;
    module = evolveModule(module, event);
    computed = module && snapshotModule(module);
    if (computed && sameCanonical(computed, told)) {
      const trust = recompute(events.slice(0, i + 1), eras);
      if (trust?.equal) return { equal: true, computed };
      return { equal: false, computed: { ...computed, apt: trust?.recomputed_apt ?? computed.apt } };
    }
  }
  return { equal: false, computed };
}
