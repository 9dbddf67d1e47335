import { MemoryEventStore, type Position, type EventStore } from '#lib/event-store';
import { MemoryFailureSpool } from '#lib/memory';
import type { Batch, Generation } from '#lib/read-store';

import { MemoryArtifacts } from '../../libs/event-store/src/memory/memory-artifacts.js';
import { MemorySubjectKeys } from '../../libs/event-store/src/memory/memory-subject-keys.js';
import { MemoryReadStore } from '../../libs/read-store/src/memory/memory-read-store.js';
import { MemoryTree } from './memory-tree.js';

/** What survives every crash: what the stores hold, as they would on disks and in databases of their own. */
export class World {
  readonly log = new WatchedEventStore();
  readonly documents = new WatchedReadStore();
  readonly keys = new MemorySubjectKeys();
  readonly artifacts = new MemoryArtifacts();
  readonly spool = new MemoryFailureSpool();
  readonly tree = new MemoryTree();
}

/** Tells processes of what was appended, as a database would push it. */
export class WatchedEventStore extends MemoryEventStore {
  private readonly listeners = new Set<(head: Position) => void>();

  onAppended(listener: (head: Position) => void): void {
    this.listeners.add(listener);
  }

  override async append(...call: Parameters<EventStore['append']>) {
    const result = await super.append(...call);
    const head = await this.head();
    if (result.outcome === 'appended') for (const tell of this.listeners) tell(head);
    return result;
  }
}

/** A batch as it was applied: from which position to which, and how much it changed. */
export interface Span {
  readonly from: string;
  readonly to: string;
  readonly changes: number;
}

/** Remembers which events each generation was given, so that one given twice or left out shows. */
export class WatchedReadStore extends MemoryReadStore {
  readonly spans = new Map<string, Span[]>();

  override async apply(generation: Generation, batch: Batch): Promise<'applied' | 'fenced'> {
    const outcome = await super.apply(generation, batch);
    const name = `${generation.projection}/${generation.name}`;
    const span = { from: batch.from.position, to: batch.to, changes: batch.changes.length };
    if (outcome === 'applied') this.spans.set(name, [...(this.spans.get(name) ?? []), span]);
    return outcome;
  }

  override async drop(generation: Generation): Promise<void> {
    this.spans.delete(`${generation.projection}/${generation.name}`);
    return super.drop(generation);
  }
}
