import { MaceError, type Json, type JsonObject } from '#lib/kernel';

import type { TickInput } from './brainstate.js';
import type { WmInsert } from './brainstate.events.js';
import type { GoalOutcome } from './goals.js';
import type { Insertion } from './working-memory.js';

/** Types of signed events that a tick takes in. */
export const TICK_EVENT_TYPES = ['WM_INSERT', 'COUNCIL_DECISION', 'FEEDBACK_GIVEN'] as const;

/** A signed event as a tick reads it, personal fields in plain. */
export interface TickEvent {
  readonly type: string;
  readonly data: JsonObject;
}

/**
 * What signed events mean to a tick, in their given order; of several decisions or feedbacks the last one speaks. A
 * decision is an outcome of the foremost active goal too.
 * @throws MaceError INVALID_INPUT for an event of another type
 */
export function tickInput(events: readonly TickEvent[]): TickInput {
  const insert: Insertion[] = [];
  const outcomes: GoalOutcome[] = [];
  let council_approves: boolean | null = null;
  let user_upvotes: boolean | null = null;
  for (const { type, data } of events) {
    if (type === 'WM_INSERT') {
      const { type: kind, value, ttl_ticks } = data as unknown as WmInsert;
      insert.push({ type: kind, value, ttl_ticks });
    } else if (type === 'COUNCIL_DECISION') {
      council_approves = data['outcome'] === 'approved';
      outcomes.push({ deliverable_produced: council_approves, final_confidence: numberOf(data['final_confidence']) });
    } else if (type === 'FEEDBACK_GIVEN') {
      user_upvotes = data['upvote'] === true;
    } else {
      throw new MaceError('INVALID_INPUT', `event_ids: a tick takes ${TICK_EVENT_TYPES.join(', ')}, not ${type}`);
    }
  }
  return { insert, council_approves, user_upvotes, outcomes };
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}
