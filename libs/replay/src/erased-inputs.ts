import { comparePositions, type EventLog, isEncrypted, isErased, type LoggedEvent } from '#lib/event-store';
import { jobStream } from '#lib/jobs';

import { endedKeys } from './ended-keys.js';
import type { StepList } from './step-list.js';

/**
 * Tells whether what reads as erased in a job was erased: whoever holds the keys that sign events can put the mark of an
 * erasure in the place of anything that a living person said. The store of data keys is asked, not the record; that a
 * field's key is one of its own person is the codec's to see.
 * @throws IntegrityError, UnknownSubjectKeyError
 */
export async function checkErased(log: EventLog, jobId: string, list: StepList): Promise<void> {
  const { events } = await log.load(jobStream(jobId));
  const values = events.flatMap(({ data }) => Object.values(data));
  const kids = values.flatMap((value) => (isEncrypted(value) ? [value.$enc.kid] : []));
  const ended = await endedKeys(log);
  const isTooLate = ({ data, position }: LoggedEvent): boolean =>
    Object.values(data).some((value) => {
      const end = isEncrypted(value) ? ended.get(value.$enc.kid) : undefined;
      return end !== undefined && comparePositions(end, position) < 0;
    });
  const gone = new Map<string, boolean>();
  for (const kid of kids) if (!gone.has(kid)) gone.set(kid, await log.codec.isDestroyed(kid));
  const states = [...gone.values()];
  // The keys of a person are destroyed all at once.
  const wrong =
    (values.some(isErased) && 'something reads as erased, and was never encrypted') ||
    (!states.includes(true) && 'something reads as erased, and no data key of the job is destroyed') ||
    // Who was erased and came back has another key.
    (events.some(isTooLate) && 'a part of it is encrypted under a key that was destroyed before the job') ||
    (states.includes(false) && 'a part of it reads as erased, and a data key of the job is there');
  if (wrong !== false) list.failed('erased inputs', wrong);
  else list.ok('erased inputs', kids.length, 'what cannot be read was encrypted under keys that are destroyed');
}
