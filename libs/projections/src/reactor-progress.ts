import type { RecordedEvent } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';

import { comparePositions } from './positions.js';

/** An event that is to be answered once another stream is put right. */
export interface OwedEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  /** Everything up to here had been answered, or is owed too, when it was met. */
  readonly before: string;
  /** The stream that was last found not to be what was signed. */
  readonly needs: string;
}

/** With more of them a reactor waits, so that what it keeps stays small. */
export const MOST_OWED = 1000;
/** Events there are about different things: one need not wait for another. */
const SHARED = /^system-/;

/** How far a reactor is: what it has seen of the log, and what of that it still owes an answer. */
export class ReactorProgress {
  private constructor(
    /** Every event up to here was answered or is owed. */
    readonly seen: string,
    /** In the order of the log. */
    readonly owed: readonly OwedEvent[],
  ) {}

  /**
   * As it was kept.
   * @param answeredTo position of the checkpoint @param state as `state` gave it
   */
  static from(answeredTo: string, state: JsonObject | null): ReactorProgress {
    const { seen = answeredTo, owed = [] } = (state ?? {}) as unknown as Partial<ReactorProgress>;
    // A release that owes nothing may have gone on with it since.
    const open = owed.filter(({ position }) => comparePositions(position, answeredTo) > 0);
    return new ReactorProgress(comparePositions(seen, answeredTo) > 0 ? seen : answeredTo, open);
  }

  /** Every event up to here was answered. */
  get answeredTo(): string {
    return this.owed[0]?.before ?? this.seen;
  }

  get isOwing(): boolean {
    return this.owed.length > 0;
  }

  get isFull(): boolean {
    return this.owed.length >= MOST_OWED;
  }

  /** What is kept beside the checkpoint; null where that says it all. */
  get state(): JsonObject | null {
    const { seen, owed } = this;
    return owed.length === 0 ? null : ({ seen, owed } as unknown as JsonObject);
  }

  to(seen: string): ReactorProgress {
    return new ReactorProgress(seen, this.owed);
  }

  /** What an event of this stream has to wait for, because one before it in the stream does; null where none does. */
  behind(stream: string): string | null {
    if (SHARED.test(stream)) return null;
    return this.owed.find((event) => event.stream === stream)?.needs ?? null;
  }

  /** A few of the streams that have to be put right: those after the one that was asked for last, round and round. */
  needsAfter(last: string | undefined, count: number): readonly string[] {
    const needs = [...new Set(this.owed.map((event) => event.needs))];
    const from = last === undefined ? 0 : needs.indexOf(last) + 1;
    return [...needs.slice(from), ...needs.slice(0, from)].slice(0, count);
  }

  owing({ id, stream, revision, position }: RecordedEvent, needs: string): ReactorProgress {
    return new ReactorProgress(this.seen, [...this.owed, { id, stream, revision, position, before: this.seen, needs }]);
  }

  /** @param needs null once it was answered */
  tried({ id }: OwedEvent, needs: string | null): ReactorProgress {
    const owed = this.owed.flatMap((event) => {
      if (event.id !== id) return [event];
      return needs === null ? [] : [{ ...event, needs }];
    });
    return new ReactorProgress(this.seen, owed);
  }
}
