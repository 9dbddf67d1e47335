import { retiredKeys } from '#lib/access';
import type { EventLog } from '#lib/event-store';
import type { StoredJob } from '#lib/jobs';

/** The first event of a job that was signed with a key retired before it, in words; null where there is none. */
export async function retiredSigner(log: EventLog, { events }: StoredJob): Promise<string | null> {
  const retired = await retiredKeys(log, 'event-hmac');
  const index = events.findIndex(({ metadata: { kid }, position }) => {
    return Object.hasOwn(retired, kid) && BigInt(position) > BigInt(retired[kid]!);
  });
  const event = events[index];
  return event
    ? `event ${index} (${event.type}): key ${event.metadata.kid} was retired before, and signs no more`
    : null;
}
