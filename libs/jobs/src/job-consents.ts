import type { EventLog } from '#lib/event-store';

import { consentsIn } from './domain/consented.js';
import { jobStream } from './domain/jobs.events.js';

/** The consents that the job of a stream stands on; none for the stream of something else. @throws IntegrityError */
export async function consentsOfJob(log: EventLog, stream: string): Promise<readonly string[]> {
  if (!stream.startsWith(jobStream(''))) return [];
  const { events } = await log.load(stream);
  const telling = events.filter(({ type }) => type === 'JOB_ACCEPTED' || type === 'AGENT_OUTPUT');
  return consentsIn(await Promise.all(telling.map((event) => log.codec.reveal(event))));
}
