import type { AuditLog, VerifiedEvent } from '#lib/audit';
import { type EventStore, IntegrityError, LruMap, NewerEventError, type RecordedEvent } from '#lib/event-store';
import { GENESIS_HASH, isJsonObject, type Json, sha256Hex } from '#lib/kernel';
import { NEGOTIATION_STREAM, type NegotiationProposed, peopleAsked, type SeniorCriticsAsked } from '#lib/negotiation';

import { LiveEvent } from './live-event.js';
import type { LogPlaces } from './log-places.js';

const NOT_SIGNED = 'it is not what was signed';
const NEWER = 'a newer release wrote it';
const KNOWN_STREAMS = 10_000;
const NOBODY: readonly string[] = [];

/** Whom a negotiation has asked. */
interface Asked {
  readonly people: readonly string[];
  /** Revision up to which it was looked for senior critics; null where none can be asked any more. */
  readonly upTo: number | null;
}

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
  private readonly asked = new LruMap<string, Asked>(KNOWN_STREAMS);

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

  /** Whom the negotiation had asked when an event of it was written, or since, by its own signed events. */
  private async askedIn({ recorded: { stream, revision }, event }: VerifiedEvent): Promise<readonly string[]> {
    let asked = this.asked.get(stream);
    if (!asked) {
      asked = askedFirst(revision === 0 ? event : await this.proposalOf(stream));
    }
    if (asked.upTo !== null && revision > asked.upTo) asked = await this.withSeniors(stream, asked, revision);
    this.asked.set(stream, asked);
    return asked.people;
  }

  /** Each event of the stream is looked at once, however many followers read it. */
  private async withSeniors(stream: string, asked: Asked, revision: number): Promise<Asked> {
    const from = asked.upTo! + 1;
    const { events } = await this.store.readStream(stream, { from: from - 1, limit: revision - from + 2 });
    for (const [i, recorded] of events.entries()) {
      if (i === 0 || recorded.type !== 'SENIOR_CRITICS_ASKED') continue;
      const found = this.check(recorded, sha256Hex(events[i - 1]!.text));
      if (typeof found !== 'object') continue;
      const { critics } = found.event.data as unknown as SeniorCriticsAsked;
      return { people: [...asked.people, ...peopleAsked(critics)], upTo: null };
    }
    return { ...asked, upTo: revision };
  }

  private async proposalOf(stream: string) {
    const [first] = (await this.store.readStream(stream, { limit: 1 })).events;
    const found = first && this.check(first, GENESIS_HASH);
    return typeof found === 'object' ? found.event : undefined;
  }
}

function askedFirst(event: VerifiedEvent['event'] | undefined): Asked {
  if (event?.type !== 'NEGOTIATION_PROPOSED') return { people: NOBODY, upTo: null };
  const { requested_critics, policy } = event.data as unknown as NegotiationProposed;
  // Of the policy's senior critics none is asked where there are none, which is nearly always.
  return {
    people: peopleAsked(requested_critics),
    upTo: isJsonObject(policy as unknown as Json) && policy.escalation ? 0 : null,
  };
}
