import { eventId, timestampSeeded, type DomainEvent } from '#lib/kernel';

import { SELFREP_DEFAULTS } from '../domain/constants.js';
import { decideOutcomes, decideRegister } from '../domain/decide.js';
import { evolveModule, type Module, type PlacedEvent } from '../domain/module.js';
import type { OutcomeType } from '../domain/module.events.js';
import { completeSpec, type ModuleRequest } from '../domain/registration.js';
import type { Incoming } from '../domain/trust.js';

/** Decided events as their stream would hold them, from a revision on. */
export function placed(events: readonly DomainEvent[], from = 0): readonly PlacedEvent[] {
  return events.map(({ type, data }, i) => {
    const seed = `seed-${from + i}`;
    const metadata = {
      event_id: eventId(seed, 0, type),
      job_seed: seed,
      recorded_at: '2026-01-01T00:00:00.000Z',
      sequence_index: 0,
      timestamp_seeded: timestampSeeded(seed, 0),
    } as PlacedEvent['metadata'];
    return { type, data, metadata, revision: from + i, position: String(100 + from + i) };
  });
}

/** A module in a test: given what was decided about it, when more is decided, then it is so. */
export class ModuleStory {
  readonly events: PlacedEvent[] = [];
  module: Module | null = null;

  static of(request: Partial<ModuleRequest> = {}, apt?: number, registered_by = 'system'): ModuleStory {
    const spec = completeSpec({
      node_id: 'agent:math_v1',
      type: 'agent',
      display_name: 'Mathematics',
      version: '1.0.0',
      capabilities: ['math'],
      ...request,
    });
    const story = new ModuleStory();
    const begun = { spec, registered_by, registered_at: '2026-01-01T00:00:00.000Z', unhealthy: [] };
    story.take(decideRegister(null, { ...begun, ...(apt === undefined ? {} : { apt }) }, SELFREP_DEFAULTS));
    return story;
  }

  get known(): Module {
    return this.module!;
  }

  take(events: readonly DomainEvent[]): this {
    for (const event of placed(events, this.events.length)) {
      this.events.push(event);
      this.module = evolveModule(this.module, event);
    }
    return this;
  }

  outcomes(...incoming: readonly Incoming[]): this {
    return this.take(decideOutcomes(this.known, incoming, {}, SELFREP_DEFAULTS));
  }

  /** Types of everything that was decided so far. */
  get types(): readonly string[] {
    return this.events.map(({ type }) => type);
  }
}

let counter = 0;

export function one(event_type: OutcomeType, fields: Partial<Incoming> = {}): Incoming {
  return { event_type, event_id: `e${counter++}`, timestamp: '2025-03-01T00:00:00.000Z', ...fields };
}

export const approve = (): Incoming => one('COUNCIL_APPROVAL', { approve: true });
export const reject = (): Incoming => one('COUNCIL_APPROVAL', { approve: false });
export const timeout = (): Incoming => one('AGENT_TIMEOUT');
export const success = (): Incoming => one('AGENT_SUCCESS');
