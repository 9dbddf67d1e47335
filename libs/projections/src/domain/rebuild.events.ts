import type { DomainEvent, EventDefinition } from '#lib/kernel';

import { parkingEvents } from './parking.events.js';

/** Events of `projection-{name}`: what was decided about a read model, by whom, and what came of it. */
export const REBUILD_BEGUN = 'PROJECTION_REBUILD_BEGUN';
export const REBUILD_ENDED = 'PROJECTION_REBUILD_ENDED';
export const SWAPPED = 'PROJECTION_SWAPPED';
export const ROLLED_BACK = 'PROJECTION_ROLLED_BACK';

export function projectionStream(name: string): string {
  return `projection-${name}`;
}

/** A new generation is to be made beside the live one. */
export interface RebuildBegun {
  readonly projection: string;
  readonly rebuild_id: string;
  /** Its name in the read store. */
  readonly generation: string;
  /** Why, in the words of who asked; null where nothing was said. */
  readonly reason: string | null;
}

/** ready: made, compared, and to be swapped by a command of its own. */
export type RebuildOutcome = 'ready' | 'failed' | 'cancelled';

export interface RebuildEnded {
  readonly projection: string;
  readonly rebuild_id: string;
  readonly outcome: RebuildOutcome;
  /** Of both generations when they were compared; null unless ready, as the digests are. */
  readonly position: string | null;
  readonly live_digest: string | null;
  readonly rebuilt_digest: string | null;
  /** Why it failed or was cancelled; null where it is ready, or nothing was said. */
  readonly reason: string | null;
}

/** SWAPPED and ROLLED_BACK: queries are answered from another generation. */
export interface GenerationChanged {
  readonly projection: string;
  readonly rebuild_id: string;
  readonly from_generation: string;
  readonly to_generation: string;
  readonly reason: string | null;
}

export const projectionEvents: readonly EventDefinition[] = [
  ...parkingEvents,
  { type: REBUILD_BEGUN, version: 1, plain: ['projection', 'rebuild_id', 'generation', 'reason'] },
  {
    type: REBUILD_ENDED,
    version: 1,
    plain: ['projection', 'rebuild_id', 'outcome', 'position', 'live_digest', 'rebuilt_digest', 'reason'],
  },
  {
    type: SWAPPED,
    version: 1,
    plain: ['projection', 'rebuild_id', 'from_generation', 'to_generation', 'reason'],
  },
  {
    type: ROLLED_BACK,
    version: 1,
    plain: ['projection', 'rebuild_id', 'from_generation', 'to_generation', 'reason'],
  },
];

export function rebuildBegun(data: RebuildBegun): DomainEvent {
  return { type: REBUILD_BEGUN, data: { ...data } };
}

export function rebuildEnded(data: RebuildEnded): DomainEvent {
  return { type: REBUILD_ENDED, data: { ...data } };
}

export function generationChanged(type: typeof SWAPPED | typeof ROLLED_BACK, data: GenerationChanged): DomainEvent {
  return { type, data: { ...data } };
}
