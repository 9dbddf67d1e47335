import { comparePositions, type Position, positionOf } from '../port.js';
import { PastStates } from './past-states.js';

const at = (version: number): Position => positionOf(version * 3);

function offered(past: PastStates, key: string, events: number, state: unknown = 'state'): void {
  for (let version = 1; version <= events; version++)
    past.offer(key, { state, head: { stream: key, version, lastHash: 'ab'.repeat(32) }, position: at(version) });
}

describe('states that streams had on the way', () => {
  it('are never of after the position that is asked for, and never far before it', () => {
    const past = new PastStates(1_000_000);
    offered(past, 'a', 100_000);
    for (const version of [1, 255, 256, 10_000, 54_321, 100_000]) {
      const found = past.upTo('a', at(version))?.head.version ?? 0;
      expect(comparePositions(at(found), at(version))).toBeLessThanOrEqual(0);
      expect(version - found).toBeLessThan(100_000 / 16);
    }
    expect(past.upTo('b', at(1000))).toBeUndefined();
  });

  it('take no more bytes than they may, in all streams together', () => {
    const past = new PastStates(1_000_000);
    const keys = Array.from({ length: 50 }, (_, i) => `k${i}`);
    for (const key of keys) offered(past, key, 1024, 'x'.repeat(16_384));
    const kept = keys.filter((key) => past.upTo(key, at(1024)));
    expect(kept.length * 4 * 16_384).toBeLessThanOrEqual(1_000_000);
    expect(kept).toContain('k49');
  });

  it('are forgotten when they are told to be', () => {
    const past = new PastStates(1_000_000);
    offered(past, 'a', 256);
    past.purge();
    expect(past.upTo('a', at(256))).toBeUndefined();
  });
});
