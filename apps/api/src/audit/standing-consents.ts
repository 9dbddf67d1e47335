import type { Standing } from '#lib/audit';
import type { EventLog } from '#lib/event-store';
import { consentsOfJob } from '#lib/jobs';
import type { JsonObject } from '#lib/kernel';
import type { Consents } from '#lib/privacy';

/** Whether the consents that an event's content was stored under still stand, those of the job that it is of or about included. */
export function standingConsents(log: EventLog, consents: Pick<Consents, 'areInForce'>): Standing {
  return async (event, subject, now) => {
    const ofJob = await consentsOfJob(log, event);
    if (ofJob === null) return false;
    const ids = [...named(event.data), ...ofJob];
    return ids.length === 0 || consents.areInForce(subject, ids, now);
  };
}

/** As values name theirs. */
function named({ consents }: JsonObject): readonly string[] {
  if (!Array.isArray(consents)) return [];
  return (consents as readonly { readonly consent_id: string }[]).map(({ consent_id }) => consent_id);
}
