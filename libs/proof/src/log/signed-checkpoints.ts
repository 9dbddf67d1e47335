import { type EventStore, type Position, START } from '#lib/event-store';

import type { ErasedKeys } from '../erased-keys.js';
import type { LogKeys } from '../log-keys.js';
import type { CheckpointRecord } from '../proof-log.js';
import type { StoredCheckpoint } from '../store/proof-messages.js';
import type { ProofStore } from '../store/proof-store.js';
import { Contradictions } from './contradictions.js';
import type { Cosigner } from './cosigner.js';

export interface CheckpointTools {
  readonly events: EventStore;
  readonly store: ProofStore;
  readonly keys: LogKeys;
  readonly cosigner?: Cosigner;
  readonly erasedKeys?: Pick<ErasedKeys, 'all'> & Partial<Pick<ErasedKeys, 'marks' | 'names'>>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** The checkpoints of a log: signed, stored, and shown to whoever cosigns them. */
export class SignedCheckpoints {
  readonly contradictions = new Contradictions();
  private last: StoredCheckpoint | null;

  constructor(private readonly tools: CheckpointTools) {
    this.last = tools.store.reader.latest();
  }

  get newest(): StoredCheckpoint | null {
    return this.last;
  }

  /** @throws KeyOutOfTimeError, and what the store throws: there is no such checkpoint then */
  async sign(size: number, root: string, position: Position): Promise<StoredCheckpoint> {
    const { keys, store, now } = this.tools;
    const madeAt = new Date(now()).toISOString();
    const made: StoredCheckpoint = {
      number: (this.last?.number ?? 0) + 1,
      origin: keys.origin,
      size,
      position,
      root,
      note: keys.sign(size, Buffer.from(root, 'hex'), madeAt),
      made_at: madeAt,
      consistency: store.reader.consistency(this.last?.size ?? 0, size),
    };
    await store.keep(made);
    this.last = made;
    this.offer();
    return made;
  }

  /** Shows the newest one to whoever cosigns. */
  offer(): void {
    const { cosigner, erasedKeys, store } = this.tools;
    const checkpoint = this.last;
    if (!checkpoint) return;
    cosigner?.offer(checkpoint, {
      consistency: (from, to) => store.reader.consistency(from, to),
      keep: (note) => this.cosigned(checkpoint, note),
      erasedKeys: () => erasedKeys?.names?.() ?? erasedKeys?.all() ?? [],
      erasedMarks: () => erasedKeys?.marks?.() ?? [],
      holds: (size, root) => this.holds(size, root),
      contradicted: (found) => this.contradictions.add(found),
    });
  }

  private async holds(size: number, root: string): Promise<boolean | null> {
    const { events, store } = this.tools;
    if (size <= store.reader.size()) return store.reader.root(size) === root;
    const count = await events.count?.(START);
    return count !== undefined && count < size ? false : null;
  }

  private async cosigned(checkpoint: StoredCheckpoint, note: string): Promise<void> {
    await this.tools.store.cosign(checkpoint.number, note);
    if (this.last?.number === checkpoint.number) this.last = { ...checkpoint, note };
  }
}

/** As others see it. */
export function recordOf({ origin, size, root, note, made_at }: StoredCheckpoint): CheckpointRecord {
  return { origin, size, root, note, made_at };
}
