import { KeyIntervals } from '#lib/access';
import { type EventLog, IntegrityError, type LoggedEvent, type RecordedEvent, RowSignatures } from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';
import type { EventPlace } from '#lib/projections';

/** An event on which nothing was done, because it or its stream is not what was signed. */
export interface TamperedEvent {
  readonly stream: string;
  readonly revision: number;
  /** Null where it is not the event itself that does not verify, but another of its stream. */
  readonly position: string | null;
  readonly reason: string;
}

/** Rows that are told one by one; a flood of them a walk counts. */
const MOST_TOLD = 1000;

/**
 * What reactors act on, and read models are made from: events that a key of the ring signed, each verified by itself. Whoever can write to the event
 * store holds no key, and must not have the server sign what follows from a row of theirs.
 */
export class SignedEvents {
  private readonly met = new Map<string, TamperedEvent>();
  private readonly listeners: ((event: TamperedEvent) => void)[] = [];
  private readonly signatures: RowSignatures;
  private readonly intervals: KeyIntervals;

  constructor(
    private readonly log: EventLog,
    ring: KeyRing,
  ) {
    this.intervals = new KeyIntervals(log, ring);
    this.signatures = new RowSignatures(ring);
  }

  /** Tells what there is by now, and what comes, once an event, whichever reactors meet it. */
  onMet(listener: (event: TamperedEvent) => void): void {
    for (const event of this.met.values()) listener(event);
    this.listeners.push(listener);
  }

  /**
   * The event, if it is what was signed for its place; of what this process appended, as it appended it, that is not asked.
   * @throws IntegrityError for what is no event, of a type or version that this release does not know, not signed for its
   * stream, or signed with a key that had been retired before it
   */
  readonly open = async (recorded: RecordedEvent, isOwn = false): Promise<LoggedEvent> => {
    if (isOwn) return this.log.codec.decode(recorded);
    const event = this.log.codec.openAlone(recorded);
    this.log.codec.refuseStrange(event);
    const { kid } = event.metadata;
    if (await this.intervals.wasRetired(kid, recorded.position)) {
      throw new IntegrityError(recorded.stream, recorded.revision, `key ${kid} was retired before, and signs no more`);
    }
    return event;
  };

  /**
   * For read models: the event as it is stored, once its signature verifies; of what this process appended it is not asked.
   * @throws IntegrityError for a row that nobody signed as this event, which is told; what `EventCodec.decode` throws
   */
  readonly decode = (recorded: RecordedEvent, isOwn = false): LoggedEvent => {
    const reason = isOwn ? null : this.signatures.faultOf(recorded);
    if (reason === null) return this.log.codec.decode(recorded);
    const error = new IntegrityError(recorded.stream, recorded.revision, reason);
    this.tell(error, recorded);
    throw error;
  };

  /** Tells of what was passed over. @param recorded what was to be answered; null where that is not one event */
  readonly tell = ({ stream, revision, reason }: IntegrityError, recorded: EventPlace | null): void => {
    const place = `${revision} ${stream}`;
    if (this.met.has(place) || this.met.size >= MOST_TOLD) return;
    const isItself = stream === recorded?.stream && revision === recorded.revision;
    const position = isItself ? recorded.position : null;
    const event = { stream, revision, position, reason: `nothing was done on it: ${reason}` };
    this.met.set(place, event);
    for (const listener of this.listeners) listener(event);
  };
}
