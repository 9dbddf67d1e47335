import type { AuditLog, VerifiedEvent } from '#lib/audit';
import { type EventStore, IntegrityError, LruMap, NewerEventError, type RecordedEvent } from '#lib/event-store';
import { GENESIS_HASH, sha256Hex } from '#lib/kernel';
import { askedBy, NEGOTIATION_STREAM, type NegotiationProposed } from '#lib/negotiation';

import { LiveEvent } from './live-event.js';
import type { LogPlaces } from './log-places.js';

const NOT_SIGNED = 'it is not what was signed';
const NEWER = 'a newer release wrote it';
const KNOWN_STREAMS = 10_000;
const NOBODY: readonly string[] = [];

interface End {
  readonly revision: number;
  readonly hash: string;
}

/**
 * Makes of stored events what followers are shown, by the same checks as GET /audit/events: signature, id, and the hash of
 * the event before. What does not verify is not shown; its place is.
 */
export class LiveEvents {
  /** The newest event of streams that were met lately, so that the one after it can be held against it. */
  private readonly ends = new LruMap<string, End>(KNOWN_STREAMS);
  private readonly asked = new LruMap<string, readonly string[]>(KNOWN_STREAMS);

  constructor(
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly audit: Pick<AuditLog, 'verified'>,
    private readonly places: LogPlaces,
  ) {}

  /** @throws what the store throws */
  async of(recorded: RecordedEvent): Promise<LiveEvent> {
    const { stream, revision } = recorded;
    const found = this.check(recorded, this.hashBefore(recorded) ?? (await this.readHashBefore(recorded)));
    if (typeof found === 'string') return new LiveEvent(recorded, found, NOBODY, this.places);
    this.ends.set(stream, { revision, hash: found.hash });
    const asked = stream.startsWith(NEGOTIATION_STREAM) ? await this.askedIn(found) : NOBODY;
    return new LiveEvent(recorded, found, asked, this.places);
  }

  private check(recorded: RecordedEvent, before: string): VerifiedEvent | string {
    try {
      return this.audit.verified(recorded, before);
    } catch (error) {
      if (error instanceof NewerEventError) return NEWER;
      if (error instanceof IntegrityError) return NOT_SIGNED;
      throw error;
    }
  }

  private hashBefore({ stream, revision }: RecordedEvent): string | undefined {
    if (revision === 0) return GENESIS_HASH;
    const end = this.ends.get(stream);
    return end?.revision === revision - 1 ? end.hash : undefined;
  }

  private async readHashBefore({ stream, revision }: RecordedEvent): Promise<string> {
    const { events } = await this.store.readStream(stream, { from: revision - 1, limit: 1 });
    return events[0] ? sha256Hex(events[0].text) : GENESIS_HASH;
  }

  /** Whom the negotiation asks that an event is of, by its own signed proposal. */
  private async askedIn({ recorded: { stream, revision }, event }: VerifiedEvent): Promise<readonly string[]> {
    let asked = this.asked.get(stream);
    if (asked) return asked;
    const proposal = revision === 0 ? event : await this.proposalOf(stream);
    asked =
      proposal?.type === 'NEGOTIATION_PROPOSED' ? askedBy(proposal.data as unknown as NegotiationProposed) : NOBODY;
    this.asked.set(stream, asked);
    return asked;
  }

  private async proposalOf(stream: string) {
    const [first] = (await this.store.readStream(stream, { limit: 1 })).events;
    const found = first && this.check(first, GENESIS_HASH);
    return typeof found === 'object' ? found.event : undefined;
  }
}
