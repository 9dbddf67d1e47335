import { differences, lockout, withDifferences } from './policy.js';

const council = (ids: readonly string[], quorum = {}) =>
  lockout('governance', { answer_council: { critics: ids.map((critic_id) => ({ critic_id, weight: 1 })), quorum } });

describe('a council of answers that could never approve one', () => {
  it('needs more votes than it asks critics', () => {
    expect(council(['a', 'b'], { minimum_votes: 3 })).toBe(
      'answer_council needs 3 votes and asks 2 critics: nobody would be answered',
    );
    expect(council(['a', 'b'], { minimum_votes: 2 })).toBeNull();
    expect(council(['a', 'b'], { minimum_fraction: 1 })).toBeNull();
  });

  it('asks one critic twice', () => {
    expect(council(['a', 'b', 'a'])).toMatch(/^answer_council asks "a" twice/);
  });

  it('is noticed beside a council of people that could decide', () => {
    const people = { council_quorum: 2, council_members: ['x', 'y', 'z'] };
    const answer_council = { critics: [{ critic_id: 'a', weight: 1 }], quorum: { minimum_votes: 2 } };
    expect(lockout('governance', { ...people, answer_council })).toMatch(/nobody would be answered/);
  });
});

describe('what was recorded as changed', () => {
  it.each([
    [
      { a: 1, b: { c: [1, 2, 3], 'd/e': 'x' } },
      { a: 2, b: { c: [1, 2, 3], 'd/e': 'y', f: { g: true } } },
    ],
    [{ list: [1, 2, 3] }, { list: [1] }],
    [{ list: [1] }, { list: [1, { deep: '~' }] }],
    [{ a: 1, gone: { x: 1 } }, { a: 1 }],
  ])('makes the later body of %j: %j', (from, to) => {
    const before = structuredClone(from);
    expect(withDifferences(from, differences(from, to))).toEqual(to);
    expect(from).toEqual(before);
  });

  it('fits no other body than the one it was changed from, where places are missing', () => {
    expect(withDifferences({ a: 1 }, [{ pointer: '/b/c', from: 1, to: 2 }])).toBeNull();
    expect(withDifferences({ a: 1 }, [{ pointer: '', from: 1, to: 2 }])).toBeNull();
  });
});
