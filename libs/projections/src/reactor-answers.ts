import { IntegrityError, positionOf, type RecordedEvent } from '#lib/event-store';

import { OwedAnswerError } from './errors.js';
import type { OwedEvent } from './owed-event.js';
import type { EventPlace, Reaction, ReactorOptions } from './reactor-options.js';
import type { ReactorProgress } from './reactor-progress.js';

const GONE = 'an event that waits to be answered does not stand here any more';

/** Answers events, each once or, where a stream that the answer needs is not what was signed, when that is put right. */
export class ReactorAnswers {
  /** What was told of events that are owed, by their ids. */
  private readonly told = new Map<string, string>();
  /** Failed attempts at what is owed for another reason, by ids. */
  private readonly failed = new Map<string, number>();
  private answering: string | null = null;

  constructor(
    private readonly reaction: Reaction,
    private readonly options: Pick<ReactorOptions, 'events' | 'open' | 'onTampered' | 'onFault' | 'onHealed'>,
  ) {}

  /** The id of the event that is being answered; null where none is. */
  get inHand(): string | null {
    return this.answering;
  }

  /** What was told is another's from now on. */
  leave(): void {
    this.told.clear();
    this.failed.clear();
  }

  /** @returns what has to be put right first: another stream, or the event itself; null where it was answered, or passed over */
  async answer(recorded: RecordedEvent, progress: ReactorProgress): Promise<string | null> {
    const behind = progress.behind(recorded.stream);
    // What waits behind another is opened all the same: what nobody signed is owed no answer.
    const fault = await this.attempt(recorded.id, async () => {
      if (behind === null) await this.react(recorded);
      else await this.options.open(recorded);
    });
    if (!fault) return behind;
    if (fault instanceof OwedAnswerError) return this.failedAt(recorded.id, fault);
    // No later attempt makes it what was signed, and one such event must not hold up all others.
    const isPassedOver = fault.stream === recorded.stream;
    if (isPassedOver) this.options.onTampered(fault, recorded);
    else this.tellOwed(fault, recorded);
    return isPassedOver ? null : (behind ?? fault.stream);
  }

  /**
   * Tries what is owed, but for what follows in a stream in which it still waits, and what needs a stream that was found
   * not to be right a moment ago.
   * @param needs of what needs one of these; by default of all
   */
  async settle(progress: ReactorProgress, signal: AbortSignal, needs = progress.needs): Promise<void> {
    const broken = new Set<string>();
    for (const need of needs) {
      for (const event of progress.waitingFor(need)) {
        if (signal.aborted) return;
        if (broken.has(need)) break;
        const found = await this.tryOwed(event);
        progress.tried(event, found);
        if (found === null) this.answered(event.id);
        else broken.add(found);
      }
    }
  }

  private answered(id: string): void {
    this.told.delete(id);
    const attempts = this.failed.get(id);
    if (attempts === undefined) return;
    this.failed.delete(id);
    this.options.onHealed?.(this.reaction.name, attempts);
  }

  /** @returns the event's id: nothing but itself has to be put right */
  private failedAt(event_id: string, { cause: error }: OwedAnswerError): string {
    const attempts = (this.failed.get(event_id) ?? 0) + 1;
    this.failed.set(event_id, attempts);
    this.options.onFault?.({ reactor: this.reaction.name, event_id, attempts, error });
    return event_id;
  }

  /** @returns what has to be put right first; null once it was answered */
  private async tryOwed(event: OwedEvent): Promise<string | null> {
    const fault = await this.attempt(event.id, async () => this.react(await this.find(event)));
    if (fault instanceof OwedAnswerError) return this.failedAt(event.id, fault);
    if (fault) this.tellOwed(fault, { ...event, position: positionOf(event.position) });
    return fault?.stream ?? null;
  }

  /**
   * The event where it stood: it was what was signed when it was met, so that its answer is owed whatever became of it.
   * @throws IntegrityError where it does not stand there any more
   */
  private async find({ id, stream, revision }: OwedEvent): Promise<RecordedEvent> {
    const [recorded] = (await this.options.events.readStream(stream, { from: revision, limit: 1 })).events;
    if (recorded?.id !== id || recorded.revision !== revision) throw new IntegrityError(stream, revision, GONE);
    return recorded;
  }

  /** Whoever can put a stream right must know of it: told again only where another place is found. */
  private tellOwed(fault: IntegrityError, event: EventPlace & Pick<OwedEvent, 'id'>): void {
    const place = `${fault.revision} ${fault.stream}`;
    if (this.told.get(event.id) === place) return;
    this.told.set(event.id, place);
    this.options.onTampered(fault, event);
  }

  private async react(recorded: RecordedEvent): Promise<void> {
    await this.reaction.react(await this.options.open(recorded));
  }

  /** Tries one event once. @returns what of it, or of what its answer needs, is not what was signed, or why it is owed */
  private async attempt(id: string, work: () => Promise<void>): Promise<IntegrityError | OwedAnswerError | null> {
    try {
      this.answering = id;
      await work();
      return null;
    } catch (error) {
      // Not what a newer release signed: that waits for it.
      if (error instanceof IntegrityError || error instanceof OwedAnswerError) return error;
      throw error;
    } finally {
      this.answering = null;
    }
  }
}
