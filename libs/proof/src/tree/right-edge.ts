import { nodeHash } from '#lib/verifier';

import { nodesOf } from './ranges.js';

const HASH_BYTES = 32;

/** A row with the hashes of the subtrees that its leaf completes, itself first; undefined where there is none. */
export type RowAt = (leaf: number) => { readonly nodes: Buffer } | undefined;

/**
 * Whether the complete subtrees that a tree of `size` leaves ends with follow from what is kept below them: the next leaf
 * is added to these, and no leaf that is looked at shows that one of them is missing or another.
 */
export function edgeHolds(size: number, row: RowAt): boolean {
  return nodesOf({ start: 0, end: size }).every(({ level, index }) =>
    completes((index + 1) * 2 ** level - 1, level, row),
  );
}

function completes(leaf: number, level: number, row: RowAt): boolean {
  const nodes = row(leaf)?.nodes;
  if (nodes?.length !== HASH_BYTES * (level + 1)) return false;
  for (let below = 0; below < level; below++) {
    const left = nodeOf(row(leaf - 2 ** below)?.nodes, below);
    if (!left || !nodeHash(left, nodeOf(nodes, below)!).equals(nodeOf(nodes, below + 1)!)) return false;
  }
  return true;
}

function nodeOf(nodes: Buffer | undefined, level: number): Buffer | null {
  const node = nodes?.subarray(HASH_BYTES * level, HASH_BYTES * (level + 1));
  return node?.length === HASH_BYTES ? node : null;
}
