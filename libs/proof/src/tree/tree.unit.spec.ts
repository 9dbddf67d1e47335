import fc from 'fast-check';

import { EMPTY_ROOT, leafHash, verifyConsistency, verifyInclusion } from '#lib/verifier';

import { Frontier, joined } from './frontier.js';
import { consistencyRanges, inclusionRanges, type LeafRange, nodesOf } from './ranges.js';

/** Inputs and hashes of github.com/transparency-dev/merkle, testonly/constants.go. */
const INPUTS = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const LEAVES = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  '0298d122906dcfc10892cb53a73992fc5b9f493ea4c9badb27b791b4127a7fe7',
  '07506a85fd9dd2f120eb694f86011e5bb4662e5c415a62917033d4a9624487e7',
  'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  '4271a26be0d8a84f0bd54c8c302e7cb3a3b5d1fa6780a40bcce2873477dab658',
  'b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f',
  '46f6ffadd3d06a09ff3c5860d2755c8b9819db7df44251788c7d8e3180de8eb1',
];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

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
    for (const [i, input] of INPUTS.entries()) {
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
