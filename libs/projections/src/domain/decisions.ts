import { type DecisionEvent } from './decision-event.js';
import { evolveParked, type ParkedFacts } from './parking.js';
import { evolveRebuilds, NO_REBUILDS, type RebuildDecisions } from './rebuild.js';

/** What `projection-{name}` says. */
export interface ProjectionDecisions extends RebuildDecisions {
  /** Events that were set aside or were told to be tried again, each at its position, in the order of the first word. */
  readonly parked: readonly ParkedFacts[];
}

export const NO_DECISIONS: ProjectionDecisions = { ...NO_REBUILDS, parked: [] };

export function evolveDecisions(state: ProjectionDecisions, event: DecisionEvent): ProjectionDecisions {
  return { ...evolveRebuilds(state, event), parked: evolveParked(state.parked, event) };
}
