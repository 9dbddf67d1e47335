import type { RecordedEvent } from '#lib/event-store';

import type { OwedChange } from './owed-documents.js';
import { owedEvent, type OwedEvent } from './owed-event.js';
import { comparePositions } from './positions.js';

/** With more of them a reactor waits, so that what it keeps stays small. */
export const MOST_OWED = 1000;
/** Events there are about different things: one need not wait for another. */
const SHARED = /^system-/;

/** What waits in one stream: the first for another stream, the others for the one before them. */
interface Queue {
  readonly key: string;
  readonly events: OwedEvent[];
  needs: string;
}

/** How far a reactor is: what it has seen of the log, and what of that it still owes an answer. */
export class ReactorProgress {
  /** By their ids, in the order of the log. */
  private readonly owed = new Map<string, OwedEvent>();
  private readonly queues = new Map<string, Queue>();
  /** By the stream that has to be put right; whoever was asked for longest ago comes first. */
  private readonly needing = new Map<string, Set<Queue>>();
  /** Ids of what is kept otherwise than it is. */
  private readonly changed: Set<string>;

  /**
   * @param seen every event up to here was answered or is owed @param owed in the order of the log
   * @param strays ids of what is kept, and is owed no more
   */
  constructor(
    private seen: string,
    owed: readonly OwedEvent[] = [],
    strays: readonly string[] = [],
  ) {
    for (const event of owed) this.add(event);
    this.changed = new Set(strays);
  }

  get seenTo(): string {
    return this.seen;
  }

  /** Every event up to here was answered. */
  get answeredTo(): string {
    for (const { before } of this.owed.values()) return before;
    return this.seen;
  }

  get owes(): number {
    return this.owed.size;
  }

  get isOwing(): boolean {
    return this.owed.size > 0;
  }

  get isFull(): boolean {
    return this.owed.size >= MOST_OWED;
  }

  /** What is kept otherwise than it is. */
  get changes(): readonly OwedChange[] {
    return [...this.changed].map((id) => ({ id, event: this.owed.get(id) }));
  }

  /** All is kept as it is. */
  kept(): void {
    this.changed.clear();
  }

  moveTo(seen: string): void {
    this.seen = seen;
  }

  /** What an event of this stream has to wait for, because one before it in the stream does; null where none does. */
  behind(stream: string): string | null {
    return SHARED.test(stream) ? null : (this.queues.get(stream)?.needs ?? null);
  }

  /** The streams that have to be put right. */
  get needs(): readonly string[] {
    return [...this.needing.keys()];
  }

  /** A few of them, round and round. */
  nextNeeds(count: number): readonly string[] {
    const needs: string[] = [];
    for (const need of this.needing.keys()) {
      if (needs.push(need) >= count) break;
    }
    for (const need of needs) {
      const queues = this.needing.get(need)!;
      this.needing.delete(need);
      this.needing.set(need, queues);
    }
    return needs;
  }

  /** What can be tried once a stream is right; once it was answered, what stands behind it. */
  *waitingFor(need: string): Generator<OwedEvent> {
    for (const queue of this.needing.get(need) ?? []) {
      for (let event = queue.events[0]; event && queue.needs === need; event = queue.events[0]) yield event;
    }
  }

  owing(recorded: RecordedEvent, needs: string): void {
    const event = owedEvent(recorded, this.seen, needs);
    this.add(event);
    this.changed.add(event.id);
  }

  /** @param event one of `waitingFor` @param needs null once it was answered */
  tried(event: OwedEvent, needs: string | null): void {
    const queue = this.queues.get(keyOf(event))!;
    if (needs === queue.needs) return;
    this.changed.add(event.id);
    if (needs === null) {
      this.owed.delete(event.id);
      queue.events.shift();
      if (queue.events.length > 0) return;
      this.queues.delete(queue.key);
      return this.forget(queue);
    }
    this.forget(queue);
    queue.needs = needs;
    queue.events[0] = { ...event, needs };
    this.owed.set(event.id, queue.events[0]);
    this.note(queue);
  }

  private add(event: OwedEvent): void {
    this.owed.set(event.id, event);
    const key = keyOf(event);
    const queue = this.queues.get(key) ?? { key, events: [], needs: event.needs };
    queue.events.push(event);
    this.queues.set(key, queue);
    this.note(queue);
  }

  private note(queue: Queue): void {
    const others = this.needing.get(queue.needs);
    if (others) others.add(queue);
    else this.needing.set(queue.needs, new Set([queue]));
  }

  private forget(queue: Queue): void {
    const others = this.needing.get(queue.needs)!;
    others.delete(queue);
    if (others.size === 0) this.needing.delete(queue.needs);
  }
}

function keyOf({ id, stream }: Pick<OwedEvent, 'id' | 'stream'>): string {
  return SHARED.test(stream) ? `${stream} ${id}` : stream;
}

/** In the order of the log. */
export function inLogOrder(a: OwedEvent, b: OwedEvent): number {
  return comparePositions(a.position, b.position);
}
