import { DuplicateEventError, type EventLog, type Fold } from '#lib/event-store';
import { reactionSeed, traceId, type DomainEvent, type Provenance } from '#lib/kernel';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import { alertOf, incidentIdOf, incidentStream } from './domain/alerts.events.js';
import { decideFlag } from './domain/decide.js';
import { unhealthyDependencies } from './domain/dependencies.js';
import { STATUS_EVENT_TYPES } from './domain/module.events.js';
import type { ModuleDirectory } from './module-directory.js';
import type { ModuleStreams } from './module-streams.js';

const EVERY: Fold<number> = { name: 'incident-count', initial: 0, evolve: (count) => count + 1 };
const DEPENDENTS = 'selfrep-dependents';
const ALERTS = 'selfrep-alerts';

/** Flags, or clears, those that require a module whose status may have changed (seed 000, B). */
export function dependentsReaction(streams: ModuleStreams, directory: ModuleDirectory): Reaction {
  return {
    name: DEPENDENTS,
    types: STATUS_EVENT_TYPES,
    async react(event) {
      directory.apply(event);
      for (const nodeId of directory.requiredBy(event.data['node_id'] as string)) {
        await streams.execute(nodeId, provenanceOf(`${DEPENDENTS}:${nodeId}`, event), (module) =>
          module ? decideFlag(module, unhealthyDependencies(module.dependencies, directory)) : [],
        );
      }
    },
  };
}

/** Raises an incident and tells the admins of it where a module goes offline or breaks its policy. */
export function alertsReaction(log: EventLog): Reaction {
  return {
    name: ALERTS,
    types: ['NODE_OFFLINE', 'POLICY_VIOLATION'],
    async react(event) {
      const { event_id } = event.metadata;
      const events = alertOf(event.type, event_id, event.data);
      if (events) await appendOnce(log, incidentStream(incidentIdOf(event_id)), events, provenanceOf(ALERTS, event));
    },
  };
}

async function appendOnce(
  log: EventLog,
  stream: string,
  events: readonly DomainEvent[],
  provenance: Provenance,
): Promise<void> {
  try {
    // The stream is this event's own: what stands in it is what an earlier attempt appended.
    await log.execute({ stream, fold: EVERY, provenance, decide: (count) => (count === 0 ? events : []) });
  } catch (error) {
    if (!(error instanceof DuplicateEventError)) throw error;
  }
}

function provenanceOf(reactor: string, { metadata }: ProjectedEvent): Provenance {
  const jobSeed = reactionSeed(reactor, metadata.event_id);
  return {
    jobSeed,
    sequenceIndex: 0,
    actor: { id: 'system', role: 'system' },
    traceId: traceId(jobSeed),
    causationId: metadata.event_id,
  };
}
