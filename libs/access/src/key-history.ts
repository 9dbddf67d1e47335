import type { EventLog, Fold, LoggedEvent } from '#lib/event-store';
import {
  systemSeed,
  traceId,
  type DomainEvent,
  type EventDefinition,
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

/** kids of which it is on record that another key was put in their place. */
const RECORDED: Fold<readonly string[]> = {
  name: 'key-history',
  initial: [],
  evolve: (kids, event) => [...kids, event.data['previous_kid'] as string],
};

/**
 * Puts on record which keys of the ring others were put in the place of, one by one, where it is not there yet (spec/kernel.md,
 * "Key ring"). Done at each start, from the ring itself, so that neither a crash between the key file and the log nor
 * several rotations in between lose one.
 * @returns how many were new
 */
export async function recordRotations(log: EventLog, ring: KeyRing): Promise<number> {
  const rotated = rotationsIn(ring.all());
  if (rotated.length === 0) return 0;
  const jobSeed = systemSeed('keys', rotated.map(({ data }) => data['kid'] as string).join('.'));
  const { events } = await log.execute({
    stream: STREAM,
    fold: RECORDED,
    provenance: { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) },
    decide: (kids) => rotated.filter(({ data }) => !kids.includes(data['previous_kid'] as string)),
  });
  return events.length;
}

/**
 * Since when keys of a purpose sign no more, by kid: the position of the first KEY_ROTATED that put another in their place.
 * They go on verifying what they signed before; whatever is signed with them after it was signed by somebody else, a
 * KEY_ROTATED of their own included.
 */
export async function retiredKeys(
  { store, codec }: Pick<EventLog, 'store' | 'codec'>,
  purpose: KeyPurpose,
): Promise<Readonly<Record<string, string>>> {
  const retired = new Map<KeyPurpose, Record<string, string>>();
  // Mostly no key was rotated, and a store knows that without reading.
  if ((await store.streamVersion(STREAM)) === 0) return {};
  for (let from = 0, end = false; !end;) {
    // Each verified by itself: whoever asks must not stop at the first damage of this stream.
    const { events } = await store.readStream(STREAM, { from, limit: PAGE });
    for (const recorded of events.filter(({ type }) => type === 'KEY_ROTATED')) {
      const event = codec.signedAlone(recorded);
      if (event) retire(retired, event, recorded.position);
    }
    from += events.length;
    end = events.length < PAGE;
  }
  return retired.get(purpose) ?? {};
}

function retire(
  retired: Map<KeyPurpose, Record<string, string>>,
  { data, metadata: { kid: signer } }: LoggedEvent,
  position: string,
): void {
  const previous = data['previous_kid'] as string;
  // A key says neither when it was retired itself, nor, once it is, anything at all.
  if (signer === previous || retired.get('event-hmac')?.[signer] !== undefined) return;
  const purpose = data['purpose'] as KeyPurpose;
  const known = retired.get(purpose) ?? {};
  retired.set(purpose, { [previous]: position, ...known });
}

/**
 * What became of each key that does not sign any more: the one that came after it, or, after the last of them, the one that
 * signs now, took its place.
 */
function rotationsIn(all: readonly RingKey[]): DomainEvent[] {
  const purposes = [...new Set(all.map(({ purpose }) => purpose))];
  return purposes.flatMap((purpose) => {
    const keys = all
      .filter((key) => key.purpose === purpose)
      .sort((a, b) => (a.notBefore < b.notBefore ? -1 : Number(a.notBefore > b.notBefore)));
    const active = keys.find(({ state }) => state === 'active');
    return keys.flatMap((key, i) => {
      const next = keys[i + 1] ?? active;
      if (key.state === 'active' || !next) return [];
      const data = { purpose, kid: next.kid, previous_kid: key.kid, not_before: next.notBefore };
      return [{ type: 'KEY_ROTATED', data }];
    });
  });
}
