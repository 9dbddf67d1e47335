import type { EventLog, Fold } from '#lib/event-store';
import { reactionSeed, type Actor } from '#lib/kernel';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import { INCIDENTS, incidentIdOf, openIncident, SEVERITIES } from './domain/incident.js';
import { incidentStream } from './domain/incidents.events.js';

const SYSTEM: Actor = { id: 'system', role: 'system' };
const OPENED: Fold<boolean> = { name: 'incident-opened', initial: false, evolve: () => true };

/** Opens an incident and raises an alert for each event that people must look at, once an event. */
export function incidentReaction(log: EventLog): Reaction {
  return {
    name: INCIDENTS,
    types: Object.keys(SEVERITIES),
    async react({ type, stream, metadata }: ProjectedEvent): Promise<void> {
      const { event_id, trace_id: traceId } = metadata;
      await log.execute({
        stream: incidentStream(incidentIdOf(event_id)),
        fold: OPENED,
        provenance: {
          jobSeed: reactionSeed(INCIDENTS, event_id),
          sequenceIndex: 0,
          actor: SYSTEM,
          traceId,
          causationId: event_id,
        },
        decide: (opened) => (opened ? [] : openIncident({ event_id, type, stream })),
      });
    },
  };
}
