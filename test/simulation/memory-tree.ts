import { type Position, type RecordedEvent, START } from '#lib/event-store';
import { EMPTY_ROOT, nodeHash } from '#lib/verifier';

import { leafOf } from '../../libs/proof/src/leaf-of-event.js';
import { type ProofStore, ProofLogFencedError } from '../../libs/proof/src/store/proof-store.js';
import { Frontier } from '../../libs/proof/src/tree/frontier.js';
import type { Scheduler } from './scheduler.js';

/** What the log's follower asks of its store. */
export type FollowedTree = Pick<ProofStore, 'append'> & {
  readonly reader: Pick<ProofStore['reader'], 'size' | 'root' | 'position'>;
};

/** The Merkle tree of a log in memory, in the place of proof.db: one writer at a time, the newest. */
export class MemoryTree {
  private readonly frontier = new Frontier(0, () => EMPTY_ROOT);
  private position: Position = START;
  private writer = 0;

  get size(): number {
    return this.frontier.size;
  }

  get root(): string {
    return this.frontier.root().toString('hex');
  }

  /** Fences off whoever wrote before. */
  open(scheduler: Scheduler): FollowedTree {
    const writer = ++this.writer;
    return {
      reader: { size: () => this.size, root: () => this.root, position: () => this.position },
      append: (from, events) =>
        scheduler.call('tree append', async () => {
          if (writer !== this.writer || from !== this.size) throw new ProofLogFencedError(`${from} of ${this.size}`);
          this.add(events as readonly RecordedEvent[]);
          return { size: this.size, root: this.root };
        }),
    };
  }

  private add(events: readonly RecordedEvent[]): void {
    for (const event of events) this.frontier.add(leafOf(event));
    this.position = events.at(-1)?.position ?? this.position;
  }
}

/** The root over some leaves by its definition (RFC 9162, 2.1.1), with nothing kept from before. */
export function rootOf(events: readonly RecordedEvent[]): string {
  return over(events.map((event) => leafOf(event))).toString('hex');
}

function over(leaves: readonly Buffer[]): Buffer {
  if (leaves.length <= 1) return leaves[0] ?? EMPTY_ROOT;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(over(leaves.slice(0, split)), over(leaves.slice(split)));
}
