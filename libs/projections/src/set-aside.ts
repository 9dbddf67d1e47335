import type { RecordedEvent } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';

/** Where an event stands that is to be answered later. */
export interface AsidePlace {
  readonly stream: string;
  readonly revision: number;
}

/** Most events that a reactor sets aside; with more of them it waits, so that what it keeps stays small. */
const MAX_ASIDE = 1000;

/**
 * Events that cannot be answered yet, because a stream that they lead to is not what was signed; with them whatever follows
 * in their own streams, so that each stream is answered in its order.
 */
export class SetAside {
  private constructor(private readonly kept: readonly AsidePlace[]) {}

  static readonly none = new SetAside([]);

  /** @param state as `state` gives it; null where nothing was kept */
  static from(state: JsonObject | null): SetAside {
    return new SetAside((state?.['aside'] ?? []) as unknown as readonly AsidePlace[]);
  }

  /** In the order in which they were met. */
  get places(): readonly AsidePlace[] {
    return this.kept;
  }

  get isFull(): boolean {
    return this.kept.length >= MAX_ASIDE;
  }

  get state(): JsonObject {
    return { aside: this.kept } as unknown as JsonObject;
  }

  /** Whether an event of a stream is among them. */
  holdsOf(stream: string): boolean {
    return this.kept.some((place) => place.stream === stream);
  }

  with({ stream, revision }: Pick<RecordedEvent, 'stream' | 'revision'>): SetAside {
    return new SetAside([...this.kept, { stream, revision }]);
  }

  without(place: AsidePlace): SetAside {
    return new SetAside(this.kept.filter((one) => one !== place));
  }
}
