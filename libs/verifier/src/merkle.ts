import { hash } from 'node:crypto';

/** The Merkle tree of RFC 9162 section 2.1 over SHA-256. A hash is 32 bytes; indices and sizes count leaves. */

/** 0x01 and room for two hashes. */
const node = Buffer.alloc(65, 1);

/** The hash of the tree without leaves. */
export const EMPTY_ROOT: Buffer = digest('');

/** SHA-256(0x00 || entry); a text counts as its UTF-8 bytes. */
export function leafHash(entry: string | Uint8Array): Buffer {
  const input = typeof entry === 'string' ? `\0${entry}` : Buffer.concat([Buffer.of(0), entry]);
  return digest(input);
}

/** SHA-256(0x01 || left || right), of two hashes. @throws RangeError for others than 32 bytes */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  if (!isHash(left) || !isHash(right)) throw new RangeError('a node has two hashes of 32 bytes');
  node.set(left, 1);
  node.set(right, 33);
  return digest(node);
}

/** The hash of two nodes that a proof joins in its n-th step. */
export type Join = (left: Uint8Array, right: Uint8Array, step: number) => Uint8Array;

/**
 * nodeHash, without making again what the proof before made in the same step: the paths of neighbours are mostly the
 * same. Where they have met, the one sibling is the same object and the other hash the same bytes. What was handed to it
 * must not be written to.
 */
export function rememberingJoin(): Join {
  const made: { readonly left: Uint8Array; readonly right: Uint8Array; readonly hash: Buffer }[] = [];
  return (left, right, step) => {
    const last = made[step];
    const isShared = last && (last.left === left || last.right === right);
    if (isShared && equal(last.left, left) && equal(last.right, right)) return last.hash;
    const hash = nodeHash(left, right);
    made[step] = { left, right, hash };
    return hash;
  };
}

/**
 * Whether `path` proves that the leaf stands at `index` of the tree of `size` leaves with that root (RFC 9162, 2.1.3.2).
 * False for any malformed proof; nothing is thrown.
 */
export function verifyInclusion(
  index: number,
  size: number,
  leaf: Uint8Array,
  path: readonly Uint8Array[],
  root: Uint8Array,
  join: Join = nodeHash,
): boolean {
  if (!isSize(index) || !isSize(size) || index >= size) return false;
  if (!isHash(leaf) || !isHash(root) || !path.every(isHash)) return false;
  let fn = index;
  let sn = size - 1;
  let hash: Uint8Array = leaf;
  for (let step = 0; step < path.length; step++) {
    const sibling = path[step]!;
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      hash = join(sibling, hash, step);
      // The last node of a level that is not full rises until it has a left neighbour.
      for (; fn % 2 === 0 && fn !== 0; sn = half(sn)) fn = half(fn);
    } else hash = join(hash, sibling, step);
    fn = half(fn);
    sn = half(sn);
  }
  return sn === 0 && equal(hash, root);
}

/**
 * Whether `path` proves that the tree of `size1` leaves is the beginning of that of `size2` (RFC 9162, 2.1.4.2).
 * Trees of one size need an empty path and one root; the empty tree is the beginning of any. Nothing is thrown.
 */
export function verifyConsistency(
  size1: number,
  size2: number,
  root1: Uint8Array,
  root2: Uint8Array,
  path: readonly Uint8Array[],
): boolean {
  if (!isSize(size1) || !isSize(size2) || size1 > size2 || ![root1, root2, ...path].every(isHash)) return false;
  if (size1 === size2) return path.length === 0 && equal(root1, root2);
  if (size1 === 0) return path.length === 0 && equal(root1, EMPTY_ROOT);
  // A complete first tree is itself the node that the proof would begin with.
  const [first, ...rest] = isPowerOfTwo(size1) ? [root1, ...path] : path;
  return first !== undefined && bothRoots(size1, size2, first, rest, root1, root2);
}

function bothRoots(
  size1: number,
  size2: number,
  first: Uint8Array,
  rest: readonly Uint8Array[],
  root1: Uint8Array,
  root2: Uint8Array,
): boolean {
  let [fn, sn, old, now] = [size1 - 1, size2 - 1, first, first];
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)];
  for (const sibling of rest) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      old = nodeHash(sibling, old);
      now = nodeHash(sibling, now);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else now = nodeHash(now, sibling);
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && equal(old, root1) && equal(now, root2);
}

/** By way of a text: Node makes a Buffer of a hash half as fast. */
function digest(input: string | Uint8Array): Buffer {
  return Buffer.from(hash('sha256', input, 'binary'), 'binary');
}

/** Shifts of JavaScript work on 32 bits; a log may hold more leaves. */
const half = (n: number): number => Math.floor(n / 2);
const isSize = (n: number): boolean => Number.isSafeInteger(n) && n >= 0;
const isHash = (bytes: Uint8Array): boolean => bytes.length === 32;
const equal = (a: Uint8Array, b: Uint8Array): boolean => a === b || Buffer.compare(a, b) === 0;

function isPowerOfTwo(n: number): boolean {
  while (n % 2 === 0) n = half(n);
  return n === 1;
}
