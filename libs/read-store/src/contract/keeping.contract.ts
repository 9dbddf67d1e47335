import { sha256Hex } from '#lib/kernel';

import { ReadStoreDefinitionError, ReadStoreUnavailableError } from '../errors.js';
import type { Generation } from '../port.js';
import { LIVE, merge, NOTES, PEOPLE, put, remove, type Trial } from './trial.contract.js';

/** Generations beside each other, their digest, and what outlives a store. */
export function describeKeeping(trial: Trial): void {
  describe('generations', () => {
    const SCRATCH: Generation = { projection: 'people', name: 'scratch_1' };

    it('stand beside each other untouched, and one is dropped without the other', async () => {
      await trial.apply(put('a', { in: 'live' }));
      await trial.store.prepare(SCRATCH, [PEOPLE, NOTES]);
      const from = await trial.store.claim(SCRATCH);
      await trial.store.apply(SCRATCH, { changes: [put('a', { in: 'scratch' })], from, to: '9' });
      expect(await trial.store.generations('people')).toEqual([LIVE, SCRATCH]);
      expect(await trial.store.generations('other')).toEqual([]);
      expect(await trial.store.generations()).toEqual([LIVE, SCRATCH]);
      expect(await trial.bodyOf('a')).toEqual({ in: 'live' });
      await trial.store.drop(SCRATCH);
      await trial.store.drop(SCRATCH);
      expect(await trial.store.generations('people')).toEqual([LIVE]);
      expect(await trial.store.checkpoint(SCRATCH)).toBeNull();
      expect(await trial.bodyOf('a')).toEqual({ in: 'live' });
    });

    it('made again after a drop begins empty', async () => {
      await trial.apply(put('a', {}));
      await trial.store.drop(LIVE);
      await trial.store.prepare(LIVE, [PEOPLE]);
      expect(await trial.store.claim(LIVE)).toEqual({ position: '0', epoch: 1 });
      expect(await trial.bodyOf('a')).toBeNull();
      expect(await trial.store.count(LIVE, 'people')).toBe(0);
    });

    it('prepared again with the same definition keeps everything; with another it is refused', async () => {
      await trial.apply(put('a', {}));
      await trial.store.prepare(LIVE, [NOTES, { name: 'people', indexes: ['value', 'city', 'age'] }]);
      expect(await trial.store.count(LIVE, 'people')).toBe(1);
      await expect(trial.store.prepare(LIVE, [PEOPLE])).rejects.toThrow(/needs a new version/);
      await expect(trial.store.prepare(LIVE, [{ ...PEOPLE, indexes: ['age'] }, NOTES])).rejects.toThrow(
        ReadStoreDefinitionError,
      );
    });

    it.each([
      ['a projection called a"b', { projection: 'a"b', name: 'v1' }, [NOTES]],
      ['a generation called v1;--', { projection: 'a', name: 'v1;--' }, [NOTES]],
      ['a collection called Notes', { projection: 'a', name: 'v1' }, [{ name: 'Notes', indexes: [] }]],
      ["an index called x'y", { projection: 'a', name: 'v1' }, [{ name: 'notes', indexes: ["x'y"] }]],
      ['an index called id', { projection: 'a', name: 'v1' }, [{ name: 'notes', indexes: ['id'] }]],
      ['an index called __proto__', { projection: 'a', name: 'v1' }, [{ name: 'notes', indexes: ['__proto__'] }]],
      ['an order that is no index', { projection: 'a', name: 'v1' }, [{ ...NOTES, sortedBy: 'age' }]],
      ['an index twice', { projection: 'a', name: 'v1' }, [{ name: 'notes', indexes: ['x', 'x'] }]],
      ['a collection twice', { projection: 'a', name: 'v1' }, [NOTES, NOTES]],
      [
        '17 indexes',
        { projection: 'a', name: 'v1' },
        [{ name: 'notes', indexes: Array.from({ length: 17 }, (_, i) => `f${i}`) }],
      ],
    ])('refuses %s', async (_, generation, collections) => {
      await expect(trial.store.prepare(generation, collections)).rejects.toThrow(ReadStoreDefinitionError);
    });
  });

  describe('the digest', () => {
    it('is the SHA-256 of names, ids and canonical bodies in order', async () => {
      await trial.apply(put('😀', {}), put('\uffff', { b: 1, a: '"' }), put('z', { x: 1.5 }), {
        op: 'put',
        collection: 'notes',
        id: 'n',
        body: {},
      });
      const text = 'notes\n"n"{}\npeople\n"z"{"x":1.5}\n"\uffff"{"a":"\\"","b":1}\n"😀"{}\n';
      expect(await trial.store.digest(LIVE)).toEqual({ digest: sha256Hex(text), position: '1', documents: 4 });
    });

    it('does not depend on the way to the same documents, and tells different ones apart', async () => {
      await trial.apply(put('a', { x: 1, y: 2 }), put('b', {}));
      const { digest } = await trial.store.digest(LIVE);
      await trial.apply(remove('a'), remove('b'), put('c', {}));
      expect((await trial.store.digest(LIVE)).digest).not.toBe(digest);
      await trial.apply(remove('c'), put('b', {}), merge('a', { y: 2 }), merge('a', { x: 1 }));
      expect((await trial.store.digest(LIVE)).digest).toBe(digest);
    });

    it('is of one moment: its position tells what it holds while batches go on', async () => {
      const expected = new Map<string, string>();
      const other: Generation = { projection: 'people', name: 'other' };
      await trial.store.prepare(other, [PEOPLE, NOTES]);
      let from = await trial.store.claim(other);
      for (let i = 1; i <= 20; i++) {
        await trial.store.apply(other, { changes: [put(`d${i}`, { i })], from, to: String(i) });
        from = { ...from, position: String(i) };
        expected.set(String(i), (await trial.store.digest(other)).digest);
      }
      const writing = (async () => {
        for (let i = 1; i <= 20; i++) await trial.apply(put(`d${i}`, { i }));
      })();
      const { digest, position } = await trial.store.digest(LIVE);
      if (position !== '0') expect(digest).toBe(expected.get(position));
      await writing;
      expect((await trial.store.digest(LIVE)).digest).toBe(expected.get('20'));
    });
  });

  it('a closed store says so, and closing again is no error', async () => {
    await trial.store.close();
    await trial.store.close();
    await expect(trial.store.get(LIVE, 'people', 'a')).rejects.toThrow(ReadStoreUnavailableError);
    await expect(trial.store.apply(LIVE, { changes: [], from: trial.at, to: '1' })).rejects.toThrow(
      ReadStoreUnavailableError,
    );
  });

  it('what was kept is there after the store was opened again', async () => {
    const { reopen } = trial.under;
    if (!reopen) return;
    await trial.apply(put('a', { age: 1, city: 'Riga' }), merge('b', { age: 2 }));
    await trial.store.apply(LIVE, { changes: [], from: trial.at, to: trial.at.position, runnerState: { why: 'kept' } });
    const digest = await trial.store.digest(LIVE);
    trial.store = await reopen();
    expect(await trial.store.digest(LIVE)).toEqual(digest);
    expect(await trial.store.runnerState(LIVE)).toEqual({ why: 'kept' });
    expect(await trial.store.claim(LIVE)).toEqual({ position: '1', epoch: 2 });
    expect(await trial.idsOf({ where: [{ field: 'city', equals: 'Riga' }] })).toEqual(['a']);
    await trial.store.prepare(LIVE, [PEOPLE, NOTES]);
  });
}
