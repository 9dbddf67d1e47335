/**
 * Which parts of a Merkle tree a proof is made of (RFC 9162, 2.1.3.1 and 2.1.4.1). A part is the run of leaves
 * [start, end); its hash is that of one complete subtree, or of several where it is the tree's right edge.
 */
export interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** A complete subtree: the hash over leaves [index * 2^level, (index + 1) * 2^level). */
export interface NodePlace {
  readonly level: number;
  readonly index: number;
}

/** Parts of the inclusion path of leaf `index` in a tree of `size` leaves, the leaf's sibling first. @throws RangeError */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  if (!isCount(index) || !isCount(size) || index >= size)
    throw new RangeError(`leaf ${index} is not in a tree of ${size}`);
  const path: LeafRange[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + largestPowerBelow(end - start);
    if (index < middle) {
      path.push({ start: middle, end });
      end = middle;
    } else {
      path.push({ start, end: middle });
      start = middle;
    }
  }
  return path.reverse();
}

/** Parts of the consistency proof between two sizes of a tree. @throws RangeError unless 0 <= from <= to */
export function consistencyRanges(from: number, to: number): LeafRange[] {
  if (!isCount(from) || !isCount(to) || from > to)
    throw new RangeError(`no tree of ${from} leaves begins one of ${to}`);
  if (from === 0 || from === to) return [];
  const path: LeafRange[] = [];
  let [start, end] = [0, to];
  // True while what is looked at begins with the first leaf: a complete old tree is known to who asks.
  let isWhole = true;
  while (end !== from) {
    const middle = start + largestPowerBelow(end - start);
    if (from <= middle) {
      path.push({ start: middle, end });
      end = middle;
    } else {
      path.push({ start, end: middle });
      start = middle;
      isWhole = false;
    }
  }
  if (!isWhole) path.push({ start, end });
  return path.reverse();
}

/** The complete subtrees of a part, from left to right. Its start is where a subtree of its length may begin. */
export function nodesOf({ start, end }: LeafRange): NodePlace[] {
  const nodes: NodePlace[] = [];
  for (let at = start; at < end;) {
    let [level, width] = [0, 1];
    for (; width * 2 <= end - at; width *= 2) level++;
    nodes.push({ level, index: at / width });
    at += width;
  }
  return nodes;
}

/** The largest power of two smaller than `n`; n is at least 2. */
function largestPowerBelow(n: number): number {
  let power = 1;
  while (power * 2 < n) power *= 2;
  return power;
}

function isCount(n: number): boolean {
  return Number.isSafeInteger(n) && n >= 0;
}
