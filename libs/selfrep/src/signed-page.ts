import { IntegrityError, type Page, type RecordedEvent } from '#lib/event-store';
import type { ProjectedEvent } from '#lib/projections';

export interface SignedReading {
  /**
   * The event, verified: nothing may follow from what nobody signed.
   * @param isOwn of what this process appended itself, as it appended it; anything else is verified
   * @throws IntegrityError
   */
  readonly open: (recorded: RecordedEvent, isOwn?: boolean) => Promise<ProjectedEvent>;
  /** Told of each event that was passed over because it is not what was signed; null for one that is needed elsewhere. */
  readonly onTampered: (error: IntegrityError, recorded: RecordedEvent | null) => void;
}

/** What of a page was signed, in order; of the rest `onTampered` is told. Any other fault of `open` is thrown. */
export async function signedOf(
  { events, isOwn }: Pick<Page, 'events' | 'isOwn'>,
  { open, onTampered }: SignedReading,
): Promise<readonly ProjectedEvent[]> {
  const signed: ProjectedEvent[] = [];
  for (const recorded of events) {
    try {
      signed.push(await open(recorded, isOwn === true));
    } catch (error) {
      // What a newer release signed is not tampered with: it waits for that release.
      if (!(error instanceof IntegrityError)) throw error;
      onTampered(error, recorded);
    }
  }
  return signed;
}
