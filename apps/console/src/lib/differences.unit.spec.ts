import { differencesOf } from './differences.js';

describe('differencesOf', () => {
  it('names what was added, taken away and changed by its JSON pointer', () => {
    const [from, to] = [
      { trip: 'sea', days: [1, 2], budget: 100 },
      { trip: 'hills', days: [1, 2, 3], note: 'a' },
    ];
    expect(differencesOf(from, to)).toEqual([
      { pointer: '/trip', from: 'sea', to: 'hills' },
      { pointer: '/days/2', from: undefined, to: 3 },
      { pointer: '/budget', from: 100, to: undefined },
      { pointer: '/note', from: undefined, to: 'a' },
    ]);
  });

  it('takes a list for another thing than an object with the same members, and escapes names', () => {
    expect(differencesOf({ 'a/b~': [1] }, { 'a/b~': { 0: 1 } })).toEqual([
      { pointer: '/a~1b~0', from: [1], to: { 0: 1 } },
    ]);
  });

  it('finds nothing between equal values', () => {
    expect(differencesOf({ a: [null, { b: 1 }] }, { a: [null, { b: 1 }] })).toEqual([]);
  });
});
