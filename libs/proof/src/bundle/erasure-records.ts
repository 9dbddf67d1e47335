import { type EventLog, isEncrypted, type LoggedEvent, START, UnknownSubjectKeyError } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';
import { DESTROYED, ERASED } from '#lib/verifier';

const PAGE = 1000;

/** Where the log says that data keys were destroyed. */
export interface ErasurePlace {
  readonly stream: string;
  /** Of the event that names the keys, and of the one that closes the request. */
  readonly revisions: ReadonlySet<number>;
}

/**
 * Where the log says, by events that the server signed, that data keys of a job were destroyed; nowhere as long as all of them are there, or the request is
 * under way.
 * @param data of the job's events, as stored
 * @throws what the stores throw
 */
export async function erasuresOf(log: EventLog, data: readonly JsonObject[]): Promise<readonly ErasurePlace[]> {
  const gone = await goneKeys(log, data);
  if (gone.size === 0) return [];
  const destroyed = new Map<string, number>();
  const places: ErasurePlace[] = [];
  for (let after = START, atHead = false; !atHead;) {
    const page = await log.store.readAll({ after, limit: PAGE, types: [DESTROYED, ERASED] });
    for (const recorded of page.events) {
      const { stream, revision, type } = recorded;
      const event = log.codec.signedAlone(recorded);
      if (!event) continue;
      const named = destroyed.get(stream);
      if (type === ERASED && named !== undefined) places.push({ stream, revisions: new Set([named, revision]) });
      if (type === DESTROYED && kidsIn(event).some((kid) => gone.has(kid))) destroyed.set(stream, revision);
    }
    after = page.scannedTo;
    atHead = page.atHead;
  }
  return places;
}

async function goneKeys(log: EventLog, data: readonly JsonObject[]): Promise<ReadonlySet<string>> {
  const values = data.flatMap((one) => Object.values(one));
  const gone = new Set<string>();
  for (const kid of new Set(values.flatMap((value) => (isEncrypted(value) ? [value.$enc.kid] : []))))
    if (await isGone(log, kid)) gone.add(kid);
  return gone;
}

/** A key that nobody knows is not on record as destroyed; what cannot be read for it the replay says. */
async function isGone({ codec }: EventLog, kid: string): Promise<boolean> {
  try {
    return await codec.isDestroyed(kid);
  } catch (error) {
    if (error instanceof UnknownSubjectKeyError) return false;
    throw error;
  }
}

function kidsIn({ data: { kids } }: LoggedEvent): readonly string[] {
  return Array.isArray(kids) ? kids.filter((kid): kid is string => typeof kid === 'string') : [];
}
