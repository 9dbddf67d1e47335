import type { LoggedEvent } from '#lib/event-store';

/** Whether a log is quarantined after one more event beside it. */
export function stillQuarantined(before: boolean, { type }: Pick<LoggedEvent, 'type'>): boolean {
  return type === 'INTEGRITY_FAILURE' || (before && type !== 'LOG_REVERIFIED');
}

/**
 * What stands beside one log, event by event: a further one costs the same however many there are, since whoever owns a
 * log may say any amount of it.
 */
export class EventsBeside {
  private constructor(
    private readonly before: EventsBeside | null,
    private readonly last: LoggedEvent | null,
    readonly count: number,
    readonly quarantined: boolean,
  ) {}

  static readonly none = new EventsBeside(null, null, 0, false);

  with(event: LoggedEvent): EventsBeside {
    return new EventsBeside(this, event, this.count + 1, stillQuarantined(this.quarantined, event));
  }

  /** In their order. */
  get events(): readonly LoggedEvent[] {
    const events = new Array<LoggedEvent>(this.count);
    for (let at: EventsBeside | null = this.before && this; at?.last; at = at.before) events[at.count - 1] = at.last;
    return events;
  }
}

export const NOTHING_BESIDE = EventsBeside.none;
