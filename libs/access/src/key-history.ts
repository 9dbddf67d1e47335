import type { EventCodec, EventLog, Fold, RecordedEvent } from '#lib/event-store';
import {
  systemSeed,
  traceId,
  type DomainEvent,
  type EventDefinition,
  type JsonObject,
  type KeyPurpose,
  type KeyRing,
  type RingKey,
} from '#lib/kernel';

const STREAM = 'system-keys';
const PAGE = 500;

/** In `system-keys`: from here on another key signs for a purpose; the one before it still verifies. */
export const keyEvents: readonly EventDefinition[] = [
  { type: 'KEY_ROTATED', version: 1, plain: ['purpose', 'kid', 'previous_kid', 'not_before'] },
];

/** kids whose rotation is on record. */
const RECORDED: Fold<readonly string[]> = {
  name: 'key-history',
  initial: [],
  evolve: (kids, event) => [...kids, event.data['kid'] as string],
};

/**
 * Puts every rotation of the ring on record that is not there yet (spec/kernel.md, "Key ring"). Done at each start, from
 * the ring itself, so that a crash between the key file and the log loses no rotation.
 * @returns how many rotations were new
 */
export async function recordRotations(log: EventLog, ring: KeyRing): Promise<number> {
  const rotated = ring.all().flatMap((key) => rotationOf(key, ring.all()));
  if (rotated.length === 0) return 0;
  const jobSeed = systemSeed('keys', rotated.map(({ data }) => data['kid'] as string).join('.'));
  const { events } = await log.execute({
    stream: STREAM,
    fold: RECORDED,
    provenance: { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) },
    decide: (kids) => rotated.filter(({ data }) => !kids.includes(data['kid'] as string)),
  });
  return events.length;
}

/**
 * Since when keys of a purpose sign no more, by kid: the position of the KEY_ROTATED that put another in their place. They
 * go on verifying what they signed before; whatever is signed with them after it was signed by somebody else.
 */
export async function retiredKeys(
  { store, codec }: EventLog,
  purpose: KeyPurpose,
): Promise<Readonly<Record<string, string>>> {
  const retired: Record<string, string> = {};
  for (let from = 0, end = false; !end;) {
    // Not verified: whoever asks is about to verify the whole log, and must not stop at the first damage of this stream.
    const { events } = await store.readStream(STREAM, { from, limit: PAGE });
    for (const recorded of events.filter(({ type }) => type === 'KEY_ROTATED')) {
      const data = dataOf(codec, recorded);
      if (data?.['purpose'] === purpose) retired[data['previous_kid'] as string] = recorded.position;
    }
    from += events.length;
    end = events.length < PAGE;
  }
  return retired;
}

function dataOf(codec: EventCodec, recorded: RecordedEvent): JsonObject | null {
  try {
    return codec.decode(recorded).data;
  } catch {
    // A text that is no event any more is the integrity walk's to name.
    return null;
  }
}

/** The rotation that made a key the active one; none for a purpose's first key. */
function rotationOf(key: RingKey, all: readonly RingKey[]): DomainEvent[] {
  if (key.state !== 'active') return [];
  const before = all
    .filter(({ purpose, kid, notBefore }) => purpose === key.purpose && kid !== key.kid && notBefore <= key.notBefore)
    .sort((a, b) => (a.notBefore < b.notBefore ? -1 : 1))
    .at(-1);
  if (!before) return [];
  const { purpose, kid, notBefore } = key;
  return [{ type: 'KEY_ROTATED', data: { purpose, kid, previous_kid: before.kid, not_before: notBefore } }];
}
