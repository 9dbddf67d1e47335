import { InvalidChangeError, ReadStoreDefinitionError } from '../errors.js';
import type { Change, Generation } from '../port.js';
import { add, LIVE, merge, NOTES, PEOPLE, put, remove, type Trial } from './trial.contract.js';

/** What a batch does to documents, and who may write one. */
export function describeWriting(trial: Trial): void {
  describe('documents', () => {
    it('what was put is read back, by the next call after the answer', async () => {
      await trial.apply(put('a', { age: 3, nested: { list: [1, null, 'x'] } }));
      expect(await trial.store.get(LIVE, 'people', 'a')).toEqual({
        id: 'a',
        body: { age: 3, nested: { list: [1, null, 'x'] } },
      });
      expect(await trial.store.get(LIVE, 'people', 'b')).toBeNull();
      expect(await trial.store.get(LIVE, 'notes', 'a')).toBeNull();
    });

    it('a put replaces the whole document', async () => {
      await trial.apply(put('a', { age: 3, city: 'Riga' }));
      await trial.apply(put('a', { age: 4 }));
      expect(await trial.bodyOf('a')).toEqual({ age: 4 });
      expect(await trial.idsOf({ where: [{ field: 'city', equals: 'Riga' }] })).toEqual([]);
    });

    it('a merge replaces top-level fields only, sets null as a value, and makes what was missing', async () => {
      await trial.apply(put('a', { age: 3, city: 'Riga', deep: { x: 1, y: 2 } }), merge('b', { age: 1 }));
      await trial.apply(merge('a', { age: null, deep: { x: 9 } }));
      expect(await trial.bodyOf('a')).toEqual({ age: null, city: 'Riga', deep: { x: 9 } });
      expect(await trial.bodyOf('b')).toEqual({ age: 1 });
    });

    it('adds up what is added, in one batch or several, and each position once', async () => {
      await trial.apply(add('a', 1, { age: 1 }), add('a', 2, { age: 2, visits: 1 }), add('b', 2, { age: 5 }));
      await trial.apply(add('a', 1, { age: 1 }), add('a', 2, { age: 2 }), add('a', 3, { visits: 4 }));
      expect(await trial.bodyOf('a')).toEqual({ age: 3, visits: 5, position: 3 });
      expect(await trial.bodyOf('b')).toEqual({ age: 5, position: 2 });
      expect(await trial.idsOf({ where: [{ field: 'age', from: 4 }] })).toEqual(['b']);
    });

    it.each([
      ['a fraction', [add('a', 1, { age: 0.5 })]],
      ['a place between two', [add('a', 1.5, { age: 1 })]],
      ['to what the same batch puts', [put('a', {}), add('a', 1, { age: 1 })]],
      ['to what the same batch then replaces', [add('a', 1, { age: 1 }), put('a', {})]],
    ])('adds no %s', async (_, changes) => {
      const to = String(Number(trial.at.position) + 1);
      await expect(trial.store.apply(LIVE, { changes, from: trial.at, to })).rejects.toThrow(InvalidChangeError);
    });

    it('a delete removes, and deleting what is not there changes nothing', async () => {
      await trial.apply(put('a', {}), put('b', {}));
      await trial.apply(remove('a'), remove('never'));
      expect(await trial.bodyOf('a')).toBeNull();
      expect(await trial.store.count(LIVE, 'people')).toBe(1);
    });

    it('text survives as it was: quotes, NUL, emoji, a field called __proto__', async () => {
      const body = JSON.parse('{"__proto__":{"x":1},"city":"a\\u0000b","value":"\\"\\\\\\n😀","k€y":"ü"}') as Record<
        string,
        unknown
      >;
      await trial.apply(put('o\'brien; DROP TABLE x -- "%_', body));
      await trial.apply(merge('o\'brien; DROP TABLE x -- "%_', { age: 1 }));
      const read = await trial.bodyOf('o\'brien; DROP TABLE x -- "%_');
      expect(JSON.stringify(read)).toBe(
        '{"__proto__":{"x":1},"age":1,"city":"a\\u0000b","k€y":"ü","value":"\\"\\\\\\n😀"}',
      );
      expect(await trial.store.count(LIVE, 'people')).toBe(1);
    });
  });

  describe('a batch', () => {
    it('takes its changes of one document in order', async () => {
      await trial.apply(put('x', { age: 1 }), put('y', { old: true }), put('z', { old: true }), put('w', { a: 1 }));
      await trial.apply(
        put('a', { age: 1 }),
        merge('a', { city: 'Riga' }),
        merge('a', { age: 2 }),
        merge('b', { age: 1 }),
        merge('b', { city: 'Oslo' }),
        put('c', { age: 1 }),
        remove('c'),
        remove('y'),
        merge('y', { fresh: true }),
        merge('z', { gone: true }),
        remove('z'),
        put('z', { age: 9 }),
        merge('w', { b: 2 }),
        merge('w', { b: 3, c: 4 }),
        merge('x', { age: 5 }),
        remove('x'),
      );
      expect(await trial.bodyOf('a')).toEqual({ age: 2, city: 'Riga' });
      expect(await trial.bodyOf('b')).toEqual({ age: 1, city: 'Oslo' });
      expect(await trial.bodyOf('c')).toBeNull();
      expect(await trial.bodyOf('y')).toEqual({ fresh: true });
      expect(await trial.bodyOf('z')).toEqual({ age: 9 });
      expect(await trial.bodyOf('w')).toEqual({ a: 1, b: 3, c: 4 });
      expect(await trial.bodyOf('x')).toBeNull();
    });

    it('leaves the objects it was given as they were', async () => {
      const body = { age: 1 };
      const fields = { city: 'Riga' };
      await trial.apply(
        put('a', body),
        merge('a', fields),
        merge('a', { value: 1 }),
        merge('b', fields),
        merge('b', { value: 2 }),
      );
      expect([body, fields]).toEqual([{ age: 1 }, { city: 'Riga' }]);
      expect(await trial.bodyOf('b')).toEqual({ city: 'Riga', value: 2 });
    });

    it('one change after another or all in one batch: the documents are the same', async () => {
      const changes = mixedChanges(300);
      const single: Generation = { projection: 'people', name: 'single' };
      await trial.store.prepare(single, [PEOPLE, NOTES]);
      let from = await trial.store.claim(single);
      for (const [i, change] of changes.entries()) {
        await trial.store.apply(single, { changes: [change], from, to: String(i + 1) });
        from = { ...from, position: String(i + 1) };
      }
      await trial.store.apply(LIVE, { changes, from: trial.at, to: '300' });
      const [one, all] = [await trial.store.digest(single), await trial.store.digest(LIVE)];
      expect(all).toEqual(one);
      expect(one.documents).toBeGreaterThan(10);
    });

    it('moves the checkpoint with it, also when it changes nothing', async () => {
      expect(await trial.store.checkpoint(LIVE)).toEqual({ position: '0', epoch: 1 });
      await trial.apply(put('a', {}));
      await trial.apply();
      expect(await trial.store.checkpoint(LIVE)).toEqual({ position: '2', epoch: 1 });
    });

    it.each([
      ['an undeclared collection', { op: 'put', collection: 'elsewhere', id: 'a', body: {} }],
      ['an empty id', { op: 'put', collection: 'people', id: '', body: {} }],
      ['an id with NUL', { op: 'delete', collection: 'people', id: 'a\0b' }],
      ['an id with a lone surrogate', { op: 'put', collection: 'people', id: '\ud800', body: {} }],
      ['an id that is no text', { op: 'put', collection: 'people', id: 5, body: {} }],
      [
        'an object in an indexed field',
        { op: 'put', collection: 'people', id: 'a', body: { city: { $enc: 'secret' } } },
      ],
      ['an array in an indexed field', { op: 'merge', collection: 'people', id: 'a', fields: { city: ['x'] } }],
      ['a number that JSON has not', { op: 'put', collection: 'people', id: 'a', body: { x: NaN } }],
      ['a date', { op: 'put', collection: 'people', id: 'a', body: { x: new Date() } }],
      ['a body that is no object', { op: 'put', collection: 'people', id: 'a', body: null }],
    ])('is refused whole where it holds %s', async (_, bad) => {
      const batch = { changes: [put('good', {}), bad as unknown as Change], from: trial.at, to: '9' };
      await expect(trial.store.apply(LIVE, batch)).rejects.toThrow(InvalidChangeError);
      expect(await trial.bodyOf('good')).toBeNull();
      expect(await trial.store.checkpoint(LIVE)).toEqual(trial.at);
    });

    it('carries the runner state, which stays until a batch replaces or removes it', async () => {
      expect(await trial.store.runnerState(LIVE)).toBeNull();
      const step = async (to: string, runnerState?: { why: string } | null): Promise<void> => {
        const extra = runnerState === undefined ? {} : { runnerState };
        expect(await trial.store.apply(LIVE, { changes: [], from: trial.at, to, ...extra })).toBe('applied');
        trial.at = { ...trial.at, position: to };
      };
      await step('1', { why: 'poison' });
      await step('2');
      expect(await trial.store.runnerState(LIVE)).toEqual({ why: 'poison' });
      await step('2', null);
      expect(await trial.store.runnerState(LIVE)).toBeNull();
    });
  });

  describe('owners', () => {
    it('an older owner writes nothing after a new one has claimed', async () => {
      await trial.apply(put('a', { by: 'first' }));
      const second = await trial.store.claim(LIVE);
      expect(second).toEqual({ position: '1', epoch: 2 });
      expect(
        await trial.store.apply(LIVE, {
          changes: [put('a', { by: 'late' })],
          from: trial.at,
          to: '2',
          runnerState: { late: true },
        }),
      ).toBe('fenced');
      expect(await trial.bodyOf('a')).toEqual({ by: 'first' });
      expect(await trial.store.runnerState(LIVE)).toBeNull();
      expect(await trial.store.apply(LIVE, { changes: [put('a', { by: 'second' })], from: second, to: '2' })).toBe(
        'applied',
      );
    });

    it('the same batch twice is applied once', async () => {
      const batch = { changes: [put('a', {})], from: trial.at, to: '5' };
      expect(await trial.store.apply(LIVE, batch)).toBe('applied');
      expect(await trial.store.apply(LIVE, batch)).toBe('fenced');
    });

    it('of eight batches from one checkpoint exactly one is applied', async () => {
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          trial.store.apply(LIVE, { changes: [put(`w${i}`, {})], from: trial.at, to: String(i + 1) }),
        ),
      );
      expect(results.filter((result) => result === 'applied')).toHaveLength(1);
      expect(await trial.store.count(LIVE, 'people')).toBe(1);
    });

    it('what was never prepared can neither be claimed nor written nor read', async () => {
      const other: Generation = { projection: 'people', name: 'v2' };
      expect(await trial.store.checkpoint(other)).toBeNull();
      await expect(trial.store.claim(other)).rejects.toThrow(ReadStoreDefinitionError);
      await expect(trial.store.apply(other, { changes: [], from: trial.at, to: '1' })).rejects.toThrow(
        ReadStoreDefinitionError,
      );
      await expect(trial.store.get(other, 'people', 'a')).rejects.toThrow(ReadStoreDefinitionError);
      await expect(trial.store.digest(other)).rejects.toThrow(ReadStoreDefinitionError);
      await expect(trial.store.find(LIVE, 'elsewhere', { limit: 1 })).rejects.toThrow(ReadStoreDefinitionError);
    });
  });
}

/** Changes of every kind on few documents, the same each time. */
function mixedChanges(count: number): Change[] {
  return Array.from({ length: count }, (_, i): Change => {
    const [id, collection] = [`d${(i * 7) % 23}`, i % 3 === 0 ? 'notes' : 'people'];
    if (i % 5 === 4) return { op: 'delete', collection, id };
    if (i % 5 === 1 || i % 5 === 3) return { op: 'merge', collection, id, fields: { [`f${i % 4}`]: i, age: i % 10 } };
    return { op: 'put', collection, id, body: { i, city: `c${i % 6}` } };
  });
}
