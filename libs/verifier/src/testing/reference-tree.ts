import { EMPTY_ROOT, nodeHash } from '../merkle.js';

/** RFC 9162 section 2.1 by its recursive definitions, for tests to hold faster code against. Takes leaf hashes. */

/** MTH(D_n), section 2.1.1. */
export function treeRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return EMPTY_ROOT;
  if (leaves.length === 1) return leaves[0]!;
  const k = split(leaves.length);
  return nodeHash(treeRoot(leaves.slice(0, k)), treeRoot(leaves.slice(k)));
}

/** PATH(m, D_n), section 2.1.3.1. */
export function inclusionPath(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  return index < k
    ? [...inclusionPath(index, leaves.slice(0, k)), treeRoot(leaves.slice(k))]
    : [...inclusionPath(index - k, leaves.slice(k)), treeRoot(leaves.slice(0, k))];
}

/** PROOF(m, D_n), section 2.1.4.1; `from` between 1 and the number of leaves. */
export function consistencyPath(from: number, leaves: readonly Buffer[]): Buffer[] {
  return subproof(from, leaves, true);
}

function subproof(m: number, leaves: readonly Buffer[], complete: boolean): Buffer[] {
  if (m === leaves.length) return complete ? [] : [treeRoot(leaves)];
  const k = split(leaves.length);
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), complete), treeRoot(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), treeRoot(leaves.slice(0, k))];
}

/** The largest power of two below n. */
function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}
