import { EMPTY_ROOT, leafHash, nodeHash, rememberingJoin, verifyConsistency, verifyInclusion } from './merkle.js';
import * as published from './testing/published-tree.js';
import { consistencyPath, inclusionPath, treeRoot } from './testing/reference-tree.js';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

const ROOTS = published.ROOTS.map(hex);
const LEAVES = published.LEAVES.map(hex);

// Inclusion and consistency proofs published with them (index or first size, size, nodes).
const INCLUSION: [number, number, string[]][] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];
const CONSISTENCY: [number, number, string[]][] = [
  [1, 1, []],
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    2,
    5,
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

describe('the Merkle tree of RFC 9162: public vectors', () => {
  test('the empty tree has the hash of nothing', () => {
    expect(EMPTY_ROOT).toEqual(ROOTS[0]);
  });

  test('a leaf and a node are told apart by their first byte', () => {
    expect(LEAVES[1]).toEqual(hex('96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7'));
    expect(nodeHash(LEAVES[0]!, LEAVES[1]!)).toEqual(ROOTS[2]);
    expect(published.ENTRIES.map((entry) => leafHash(hex(entry)))).toEqual(LEAVES);
    expect(leafHash(' !')).toEqual(LEAVES[3]);
  });

  test.each(ROOTS.map((root, size) => [size, root] as const))(
    'the tree of %i leaves has the published root',
    (n, root) => {
      expect(treeRoot(LEAVES.slice(0, n))).toEqual(root);
    },
  );

  test.each(INCLUSION)('leaf %i of %i is included by the published proof', (index, size, path) => {
    expect(verifyInclusion(index, size, LEAVES[index]!, path.map(hex), ROOTS[size]!)).toBe(true);
  });

  test.each(CONSISTENCY)('the tree of %i leaves begins that of %i by the published proof', (size1, size2, path) => {
    expect(verifyConsistency(size1, size2, ROOTS[size1]!, ROOTS[size2]!, path.map(hex))).toBe(true);
  });
});

/** The ways in which the testdata of transparency-dev/merkle spoils a proof. */
function spoiled(path: readonly Buffer[], root: Buffer): [string, Buffer[]][] {
  const garbage = leafHash('garbage');
  const all: [string, Buffer[]][] = [
    ['without its last node', path.slice(0, -1)],
    ['without its first node', path.slice(1)],
    ['with a node more at the end', [...path, garbage]],
    ['with an empty node more at the end', [...path, Buffer.alloc(0)]],
    ['with a node more at the beginning', [garbage, ...path]],
    ['with an empty node more at the beginning', [Buffer.alloc(0), ...path]],
    ['with the root at the end', [...path, root]],
    ['with the root at the beginning', [root, ...path]],
    ...path.map((node, i): [string, Buffer[]] => [
      `with node ${i} changed by one bit`,
      path.map((one, j) => (i === j ? flipped(node) : one)),
    ]),
    ...path.map((_, i): [string, Buffer[]] => [`without node ${i}`, path.filter((_one, j) => j !== i)]),
  ];
  // Of an empty path nothing can be left out.
  return all.filter(
    ([, changed]) => changed.length !== path.length || !Buffer.concat(changed).equals(Buffer.concat(path)),
  );
}

function flipped(node: Buffer): Buffer {
  const copy = Buffer.from(node);
  copy[4]! ^= 0x10;
  return copy;
}

const SIZES = Array.from({ length: 20 }, (_, i) => i + 1);
const MANY = SIZES.map((i) => leafHash(`entry ${i}`));

describe('inclusion: every leaf of every tree of 1 to 20 leaves', () => {
  test.each([
    ['with nothing remembered', undefined],
    ['with what the proofs before it made', rememberingJoin()],
  ])('is proven by the path of the definition, and by no other leaf, place, size or root, %s', (_, join) => {
    for (const size of SIZES) {
      const leaves = MANY.slice(0, size);
      const root = treeRoot(leaves);
      for (let index = 0; index < size; index++) {
        const path = inclusionPath(index, leaves);
        const proves = (i: number, n: number, leaf: Buffer, by: Buffer[], r: Buffer) =>
          verifyInclusion(i, n, leaf, by, r, join);
        expect(proves(index, size, leaves[index]!, path, root)).toBe(true);
        expect(proves(index, size, flipped(leaves[index]!), path, root)).toBe(false);
        expect(proves(index, size, leaves[index]!, path, flipped(root))).toBe(false);
        expect(proves(index, size, leaves[index]!, path, Buffer.alloc(0))).toBe(false);
        for (const other of [-1, 0, index - 1, index + 1, index ^ 2, index * 2, size, size + index]) {
          if (other !== index) expect(proves(other, size, leaves[index]!, path, root)).toBe(false);
        }
        for (const [how, changed] of spoiled(path, root)) {
          expect([how, proves(index, size, leaves[index]!, changed, root)]).toEqual([how, false]);
        }
      }
    }
  });

  test.each([NaN, 1.5, -1, Infinity, 2 ** 53])('the size or index %p proves nothing', (n) => {
    expect(verifyInclusion(n, 8, LEAVES[0]!, [], ROOTS[1]!)).toBe(false);
    expect(verifyInclusion(0, n, LEAVES[0]!, [], ROOTS[1]!)).toBe(false);
  });

  test('a tree of more leaves than 32 bits count is proven', () => {
    const size = 2 ** 40 + 1;
    const below = leafHash('what 2^40 leaves come to');
    expect(verifyInclusion(2 ** 40, size, LEAVES[0]!, [below], nodeHash(below, LEAVES[0]!))).toBe(true);
    expect(verifyInclusion(2 ** 40 - 1, size, LEAVES[0]!, [below], nodeHash(below, LEAVES[0]!))).toBe(false);
  });
});

describe('consistency: every pair of trees of 1 to 20 leaves', () => {
  test('is proven by the path of the definition, and by no other size, root or path', () => {
    for (const size2 of SIZES) {
      const leaves = MANY.slice(0, size2);
      const root2 = treeRoot(leaves);
      for (let size1 = 1; size1 <= size2; size1++) {
        const root1 = treeRoot(leaves.slice(0, size1));
        const path = consistencyPath(size1, leaves);
        const proves = (m: number, n: number, r1: Buffer, r2: Buffer, by: Buffer[]) =>
          verifyConsistency(m, n, r1, r2, by);
        expect(proves(size1, size2, root1, root2, path)).toBe(true);
        expect(proves(size1, size2, flipped(root1), root2, path)).toBe(false);
        expect(proves(size1, size2, root1, flipped(root2), path)).toBe(false);
        expect(proves(size2 + 1, size2, root1, root2, path)).toBe(false);
        if (size1 < size2) {
          expect(proves(size1, size2, root2, root1, path)).toBe(false);
          expect(proves(size1 + 1, size2, root1, root2, path)).toBe(false);
          expect(proves(size1, size1, root1, root2, path)).toBe(false);
        }
        for (const [how, changed] of spoiled(path, root1)) {
          expect([how, proves(size1, size2, root1, root2, changed)]).toEqual([how, false]);
        }
      }
    }
  });

  test('the empty tree begins every tree, by an empty path only', () => {
    expect(verifyConsistency(0, 8, EMPTY_ROOT, ROOTS[8]!, [])).toBe(true);
    expect(verifyConsistency(0, 8, ROOTS[1]!, ROOTS[8]!, [])).toBe(false);
    expect(verifyConsistency(0, 8, EMPTY_ROOT, ROOTS[8]!, [ROOTS[1]!])).toBe(false);
  });
});
