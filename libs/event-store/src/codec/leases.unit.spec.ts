import { Leases } from './leases.js';

const LEASE = 30_000;

/** A clock on the wall, which can be set, and the one that nobody sets. */
function clocks() {
  let [wall, elapsed] = [Date.UTC(2026, 0, 1), 0];
  const pass = (ms: number): void => {
    wall += ms;
    elapsed += ms;
    jest.advanceTimersByTime(ms);
  };
  const set = (by: number): void => void (wall += by);
  return {
    leases: new Leases<string>(
      LEASE,
      () => wall,
      () => elapsed,
    ),
    pass,
    set,
  };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('what is leased', () => {
  it('is there until its time is over, counted from before it was asked for', () => {
    const { leases, pass } = clocks();
    const taken = leases.take();
    pass(1_000);
    leases.set('a', 'key', taken);
    pass(LEASE - 1_001);
    expect(leases.get('a')).toBe('key');
    pass(1);
    expect(leases.get('a')).toBeUndefined();
  });

  it('is out of memory when its time is over, though nobody asks for it', () => {
    const { leases, pass } = clocks();
    for (const name of ['a', 'b', 'c']) {
      leases.set(name, 'key', leases.take());
      pass(10_000);
    }
    expect(leases.size).toBe(2);
    pass(10_000);
    expect(leases.size).toBe(1);
    pass(10_000);
    expect(leases.size).toBe(0);
    leases.set('d', 'key', leases.take());
    pass(LEASE);
    expect(leases.size).toBe(0);
  });

  it('is out of memory in time where its answer came slowly, between others that came at once', () => {
    const { leases, pass } = clocks();
    const slow = leases.take();
    pass(10_000);
    leases.set('a', 'key', leases.take());
    const slower = leases.take();
    pass(10_000);
    leases.set('slow', 'key', slow);
    leases.set('b', 'key', leases.take());
    leases.set('slower', 'key', slower);
    const sizes = [10_000, 10_000, 10_000].map((ms) => {
      pass(ms);
      return leases.size;
    });
    expect(sizes).toEqual([3, 1, 0]);
  });

  it('is not kept at all where its answer came after its time', () => {
    const { leases, pass } = clocks();
    const taken = leases.take();
    pass(LEASE);
    leases.set('late', 'key', taken);
    expect([leases.get('late'), leases.size]).toEqual([undefined, 0]);
    const again = leases.take();
    pass(LEASE);
    leases.set('a', 'new', leases.take());
    leases.set('a', 'old', again);
    expect(leases.get('a')).toBe('new');
  });

  it('lasts no longer by being taken once more for another name', () => {
    const { leases, pass } = clocks();
    leases.set('a', 'key', leases.take());
    pass(20_000);
    leases.set('a', 'key', leases.take());
    leases.set('b', 'key', leases.take());
    pass(LEASE);
    expect(leases.size).toBe(0);
  });

  it.each([
    ['back', -3_600_000],
    ['on', 3_600_000],
  ])('is not there longer by a clock that was set %s', (_, by) => {
    const { leases, pass, set } = clocks();
    leases.set('a', 'key', leases.take());
    set(by);
    expect(leases.get('a')).toBeUndefined();
    leases.set('b', 'key', leases.take());
    set(-1_000);
    set(1_000);
    expect(leases.get('b')).toBe('key');
    pass(LEASE);
    expect([leases.get('b'), leases.size]).toEqual([undefined, 0]);
  });

  it('is not there for a clock on the wall that stands still', () => {
    const { leases, pass, set } = clocks();
    leases.set('a', 'key', leases.take());
    pass(LEASE - 1);
    set(1 - LEASE);
    expect(leases.get('a')).toBe('key');
    pass(1);
    set(-1);
    expect([leases.get('a'), leases.size]).toEqual([undefined, 0]);
  });

  it('goes at once where its name is meant', () => {
    const { leases } = clocks();
    for (const name of ['user_a.1', 'user_a.2', 'user_ab.1']) leases.set(name, 'key', leases.take());
    leases.delete((name) => name.startsWith('user_a.'));
    expect([leases.get('user_a.1'), leases.get('user_ab.1'), leases.size]).toEqual([undefined, 'key', 1]);
  });
});
