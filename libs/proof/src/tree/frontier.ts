import { EMPTY_ROOT, nodeHash } from '#lib/verifier';

import { type NodePlace, nodesOf } from './ranges.js';

/** The right edge of a growing tree: all that is needed of it to add leaves and to know the root (RFC 9162, 2.1.1). */
export class Frontier {
  /** By level: the newest complete subtree that has no right sibling yet; older ones are never looked at. */
  private readonly edge: Buffer[] = [];
  private leaves: number;

  /** @param node hash of a complete subtree of the tree of `size` leaves; asked for from left to right */
  constructor(size: number, node: (place: NodePlace) => Buffer) {
    this.leaves = size;
    for (const place of nodesOf({ start: 0, end: size })) this.edge[place.level] = node(place);
  }

  get size(): number {
    return this.leaves;
  }

  /** Adds a leaf; answers the hashes of the subtrees that it completes, itself first, each a level above the other. */
  add(leaf: Buffer): readonly Buffer[] {
    const completed = [leaf];
    let hash = leaf;
    let level = 0;
    for (let before = this.leaves; before % 2 === 1; before = (before - 1) / 2) {
      hash = nodeHash(this.edge[level++]!, hash);
      completed.push(hash);
    }
    this.edge[level] = hash;
    this.leaves++;
    return completed;
  }

  /** The complete subtrees that the tree is made of, from left to right. */
  edgeNodes(): Buffer[] {
    return nodesOf({ start: 0, end: this.leaves }).map(({ level }) => this.edge[level]!);
  }

  root(): Buffer {
    return joined(this.edgeNodes()) ?? EMPTY_ROOT;
  }
}

/** The hash over neighbouring complete subtrees, from left to right; null of none. */
export function joined(nodes: readonly Buffer[]): Buffer | null {
  let hash: Buffer | null = null;
  for (let i = nodes.length - 1; i >= 0; i--) hash = hash ? nodeHash(nodes[i]!, hash) : nodes[i]!;
  return hash;
}
