import type { EventCodec, LoggedEvent, RecordedEvent } from '#lib/event-store';

/** An event verified by itself, with what it says that it follows. */
export interface OpenedAlone {
  readonly event: LoggedEvent;
  readonly hash: string;
  /** Hash of the bytes that stood before it when it was written. */
  readonly follows: string;
}

/**
 * Verifies an event without what stands before it: for flags, which are put behind damaged bytes.
 * @throws IntegrityError
 */
export function openAlone(codec: Pick<EventCodec, 'open'>, recorded: RecordedEvent): OpenedAlone {
  const follows = claimedBefore(recorded.text);
  return { ...codec.open(recorded, follows), follows };
}

/** Empty where the text is no event, which `open` then says. */
function claimedBefore(text: string): string {
  try {
    const { metadata } = JSON.parse(text) as { metadata?: { prev_hash?: unknown } };
    return typeof metadata?.prev_hash === 'string' ? metadata.prev_hash : '';
  } catch {
    return '';
  }
}
