import { StreamIds } from './stream-ids.js';

const id = (n: number): string => n.toString(16).padStart(13, '0') + '0'.repeat(51);
const events = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ revision: from + i, id: id(from + i) }));

it('ids are known from the first event on, without a gap', () => {
  const ids = new StreamIds();
  ids.take('s', events(0, 3));
  ids.take('s', events(2, 5));
  ids.take('s', events(7, 9));
  const known = ids.of('s');
  expect(known.version).toBe(5);
  expect([0, 4, 7].map((n) => known.find(id(n)))).toEqual([0, 4, undefined]);
});

it('the streams used longest ago make room; the one in use stays, however long it is', () => {
  const ids = new StreamIds(10);
  ids.take('old', events(0, 4));
  ids.take('used', events(0, 4));
  ids.of('old');
  ids.take('long', events(0, 6));
  expect([ids.of('old').version, ids.of('used').version]).toEqual([4, 0]);
  ids.take('long', events(6, 40));
  expect([ids.of('long').version, ids.of('old').version]).toEqual([40, 0]);
  ids.forget('long');
  ids.take('other', events(0, 10));
  expect(ids.of('other').version).toBe(10);
});
