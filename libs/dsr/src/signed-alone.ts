import { type EventCodec, IntegrityError, type LoggedEvent, type RecordedEvent } from '#lib/event-store';

/** An event, verified without what stands before it; null for what no key of the ring has signed, which a walk names. */
export function signedAlone(codec: EventCodec, recorded: RecordedEvent): LoggedEvent | null {
  try {
    const { metadata } = JSON.parse(recorded.text) as { readonly metadata: { readonly prev_hash: string } };
    return codec.open(recorded, metadata.prev_hash).event;
  } catch (error) {
    // A text that is no JSON, or has no metadata, is as good as one that does not verify.
    if (error instanceof IntegrityError || error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}
