import { pageAfter } from './page-after.js';

const named = (item: string) => item;

it('gives each item once, whatever comes in front or at the end meanwhile', () => {
  const first = pageAfter(['c', 'b', 'a'], named, { limit: 1 });
  expect(first).toEqual({ items: ['c'], next_cursor: 'c' });
  const second = pageAfter(['e', 'd', 'c', 'b', 'a'], named, { limit: 1, cursor: first.next_cursor! });
  expect(second).toEqual({ items: ['b'], next_cursor: 'b' });
  const third = pageAfter(['c', 'b', 'a'], named, { limit: 5, cursor: second.next_cursor! });
  expect(third).toEqual({ items: ['a'], next_cursor: null });
  expect(pageAfter(['b', 'a'], named, { limit: 2 })).toEqual({ items: ['b', 'a'], next_cursor: null });
  expect(pageAfter([], named, { limit: 2 })).toEqual({ items: [], next_cursor: null });
});

it('refuses a cursor that this list did not give, and does not begin again at the front', () => {
  for (const cursor of ['', 'x', 'constructor']) {
    expect(() => pageAfter(['a', 'b'], named, { limit: 1, cursor })).toThrow('next_cursor of the page before');
  }
});
