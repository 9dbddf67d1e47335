import fc from 'fast-check';

import { EMPTY_ROOT, leafHash, verifyConsistency, verifyInclusion } from '#lib/verifier';

import { ENTRIES, LEAVES, ROOTS } from '../../../verifier/src/testing/published-tree.js';
import { Frontier, joined } from './frontier.js';
import { consistencyRanges, inclusionRanges, type LeafRange, nodesOf } from './ranges.js';

/** All nodes of a tree in memory, made leaf by leaf. */
class Tree {
  readonly frontier = new Frontier(0, () => EMPTY_ROOT);
  private readonly levels: Buffer[][] = [];

  add(leaf: Buffer): this {
    for (const [level, node] of this.frontier.add(leaf).entries()) (this.levels[level] ??= []).push(node);
    return this;
  }

  node(level: number, index: number): Buffer {
    return this.levels[level]![index]!;
  }

  hash(range: LeafRange): Buffer {
    return joined(nodesOf(range).map(({ level, index }) => this.node(level, index))) ?? EMPTY_ROOT;
  }

  static of(size: number): Tree {
    const tree = new Tree();
    for (let leaf = 0; leaf < size; leaf++) tree.add(leafHash(String(leaf)));
    return tree;
  }
}

describe('a Merkle tree', () => {
  it('has the leaf hashes and roots that transparency-dev/merkle publishes', () => {
    const tree = new Tree();
    expect(tree.frontier.root().toString('hex')).toBe(ROOTS[0]);
    for (const [i, input] of ENTRIES.entries()) {
      const leaf = leafHash(Buffer.from(input, 'hex'));
      expect(leaf.toString('hex')).toBe(LEAVES[i]);
      expect(tree.add(leaf).frontier.root().toString('hex')).toBe(ROOTS[i + 1]);
    }
    expect(tree.node(1, 1).toString('hex')).toBe('5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e');
    expect(tree.node(2, 1).toString('hex')).toBe('6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4');
  });

  it('is the same however it was taken up again', () => {
    const whole = Tree.of(200);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), (from) => {
        const resumed = new Frontier(from, ({ level, index }) => whole.node(level, index));
        for (let leaf = from; leaf < 200; leaf++) resumed.add(leafHash(String(leaf)));
        expect(resumed.root()).toEqual(whole.frontier.root());
      }),
    );
  });

  it('proves every leaf in every size, and no leaf at another place', () => {
    const tree = Tree.of(70);
    for (let size = 1; size <= 70; size++) {
      const root = tree.hash({ start: 0, end: size });
      for (let leaf = 0; leaf < size; leaf++) {
        const path = inclusionRanges(leaf, size).map((range) => tree.hash(range));
        expect(verifyInclusion(leaf, size, tree.node(0, leaf), path, root)).toBe(true);
        expect(verifyInclusion((leaf + 1) % (size + 1), size, tree.node(0, leaf), path, root)).toBe(false);
      }
    }
  });

  it('proves of every two sizes that the one begins the other', () => {
    const tree = Tree.of(70);
    for (let to = 0; to <= 70; to++) {
      for (let from = 0; from <= to; from++) {
        const path = consistencyRanges(from, to).map((range) => tree.hash(range));
        const [before, after] = [tree.hash({ start: 0, end: from }), tree.hash({ start: 0, end: to })];
        expect(verifyConsistency(from, to, before, after, path)).toBe(true);
        if (from > 0) expect(verifyConsistency(from, to, leafHash('another'), after, path)).toBe(false);
      }
    }
  });

  it.each([
    ['a leaf beyond the tree', () => inclusionRanges(3, 3)],
    ['a leaf that is no whole number', () => inclusionRanges(0.5, 3)],
    ['a consistency that runs backwards', () => consistencyRanges(4, 3)],
    ['a negative size', () => consistencyRanges(-1, 3)],
  ])('refuses %s', (_what, ask) => {
    expect(ask).toThrow(RangeError);
  });
});
