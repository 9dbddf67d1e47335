import { findViolation, type Operation } from './linearizability.js';

const put = (value: string, called: number, returned?: number): Operation<string | null> =>
  op('put', value, called, returned);
const get = (value: string | null, called: number, returned: number): Operation<string | null> =>
  op('get', value, called, returned);
const check = (...history: Operation<string | null>[]) => findViolation(history, null);

describe('a history is linearizable', () => {
  it('where each get answers the last put before it', () => {
    expect(check(get(null, 0, 1), put('a', 2, 3), get('a', 4, 5), put('b', 6, 7), get('b', 8, 9))).toBeNull();
  });

  it('where a get that overlaps a put answers either value', () => {
    expect(check(put('a', 0, 1), put('b', 2, 6), get('a', 3, 4))).toBeNull();
    expect(check(put('a', 0, 1), put('b', 2, 6), get('b', 3, 4))).toBeNull();
  });

  it('where overlapping puts take effect in either order, once for all readers', () => {
    expect(check(put('a', 0, 5), put('b', 0, 5), get('b', 6, 7), get('b', 8, 9))).toBeNull();
    expect(check(put('a', 0, 5), put('b', 0, 5), get('a', 6, 7), get('a', 8, 9))).toBeNull();
  });

  it('where a put without an answer took effect late, or never', () => {
    expect(check(put('a', 0), get(null, 1, 2), get('a', 3, 4))).toBeNull();
    expect(check(put('a', 0), get(null, 1, 2), get(null, 3, 4))).toBeNull();
  });
});

describe('a history is refused', () => {
  it('where a get answers what was overwritten before it was called', () => {
    expect(check(put('a', 0, 1), put('b', 2, 3), get('a', 4, 5))).not.toBeNull();
  });

  it('where a get misses an acknowledged put', () => {
    expect(check(put('a', 0, 1), get(null, 2, 3))).not.toBeNull();
  });

  it('where a later get goes back to the older value', () => {
    expect(check(put('a', 0, 1), put('b', 2, 10), get('b', 3, 4), get('a', 5, 6))).not.toBeNull();
  });

  it('where two readers see overlapping puts in different orders', () => {
    const history = [put('a', 0, 20), put('b', 0, 20), get('a', 1, 2), get('b', 3, 4), get('a', 5, 6)];
    expect(findViolation(history, null)).not.toBeNull();
  });

  it('where a get answers what nobody put, or puts only later', () => {
    expect(check(put('a', 0, 1), get('c', 2, 3))).not.toBeNull();
    expect(check(get('a', 0, 1), put('a', 2, 3))).not.toBeNull();
  });

  it('where an unanswered put took effect before it was called', () => {
    expect(check(get('a', 0, 1), put('a', 2))).not.toBeNull();
  });
});

function op(kind: 'put' | 'get', value: string | null, called: number, returned?: number): Operation<string | null> {
  return { client: 0, kind, value, called, returned };
}
