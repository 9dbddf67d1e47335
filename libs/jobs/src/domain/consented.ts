import type { DomainEvent } from '#lib/kernel';

import type { AgentOutput, JobAccepted } from './jobs.events.js';

/** The consents that a job stands on: those that let its query through, and those that what it read is stored under. */
export function consentsIn(events: readonly DomainEvent[]): readonly string[] {
  const ids = new Set<string>();
  for (const { type, data } of events) {
    if (type === 'JOB_ACCEPTED') for (const id of (data as unknown as JobAccepted).consent_ids ?? []) ids.add(id);
    if (type !== 'AGENT_OUTPUT') continue;
    // Erased evidence is no list, and nothing of it is told.
    if (!Array.isArray(data['evidence'])) continue;
    for (const { consents = [] } of (data as unknown as AgentOutput).evidence) for (const id of consents) ids.add(id);
  }
  return [...ids].sort();
}
