import type { EventStore, Position, RecordedEvent } from '#lib/event-store';
import {
  envelopeFormFault,
  eventId,
  GENESIS_HASH,
  isCanonical,
  type KeyRing,
  sha256Hex,
  type StoredEnvelope,
} from '#lib/kernel';

import { signatureOf } from '../signed-event.js';
import { streamOf } from '../stream-of.js';
import type { Said } from './erasure-rule.js';
import { isRetired } from './retired-signers.js';

/** How far an event may be trusted: by these keys, and not by those that were retired before it. */
export interface Signers {
  readonly ring: KeyRing;
  readonly retired: ReadonlyMap<string, Position>;
}

/** An event, or what stands before it in its stream, is not what a key of the ring has signed. */
export class UnsignedError extends Error {
  constructor(revision: number, reason: string) {
    super(`event ${revision} of its stream: ${reason}`);
    this.name = 'UnsignedError';
  }
}

/**
 * What a stream says up to an event, that one the last, each of them verified from the first on: form, signature, chain.
 * @throws UnsignedError for the first that is not what was signed, and where the event is not in its stream
 */
export async function signedUpTo(events: EventStore, last: RecordedEvent, signers: Signers): Promise<readonly Said[]> {
  const said: Said[] = [];
  let before = GENESIS_HASH;
  for await (const event of streamOf(events, last.stream)) {
    if (event.revision !== said.length) throw new UnsignedError(said.length, 'it is missing');
    said.push(verified(event, before, signers));
    before = sha256Hex(event.text);
    if (event.revision < last.revision) continue;
    if (event.text === last.text && event.id === last.id) return said;
    break;
  }
  throw new UnsignedError(last.revision, 'its stream holds another one in its place');
}

function verified(event: RecordedEvent, before: string, { ring, retired }: Signers): Said {
  const fail = (reason: string): never => {
    throw new UnsignedError(event.revision, reason);
  };
  const envelope = envelopeOf(event.text);
  if (typeof envelope === 'string') return fail(envelope);
  const { type, stream, data, metadata } = envelope;
  if (stream !== event.stream || type !== event.type) return fail('it was written as another event');
  const id = eventId(metadata.job_seed, metadata.sequence_index, type);
  if (metadata.event_id !== id || event.id !== id) return fail('its event_id does not follow from its seed');
  if (!signatureOf(event, ring).holds) return fail(`its signature does not verify under key ${metadata.kid}`);
  if (isRetired(retired, metadata.kid, event.position)) return fail(`key ${metadata.kid} was retired before it`);
  if (!isCanonical(event.text, envelope)) return fail('its text is not in canonical form');
  if (metadata.prev_hash !== before) return fail('its prev_hash is not the hash of the event before it');
  return { type, data };
}

/** The envelope, or what is wrong with its form. */
function envelopeOf(text: string): StoredEnvelope | string {
  let envelope: StoredEnvelope | null;
  try {
    envelope = JSON.parse(text) as StoredEnvelope | null;
  } catch (error) {
    if (error instanceof SyntaxError) return 'its text is no event';
    throw error;
  }
  if (envelope === null || typeof envelope !== 'object') return 'its text is no event';
  return envelopeFormFault(envelope) ?? envelope;
}
