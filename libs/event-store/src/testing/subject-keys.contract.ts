import { randomBytes } from 'node:crypto';

import { type SubjectKeyStore, type WrappedKey } from '../subject-keys.js';

export interface SubjectKeyStoreUnderTest {
  /** An empty store for one test. */
  readonly open: () => Promise<{ readonly store: SubjectKeyStore; readonly dispose: () => Promise<void> }>;
}

export function newKey(kid: string, wrappedBy = 'kek-1'): WrappedKey {
  return { kid, wrapped: randomBytes(60).toString('base64'), wrappedBy };
}

/** What every adapter of the subject key port does. */
export function describeSubjectKeyStoreContract(name: string, underTest: SubjectKeyStoreUnderTest): void {
  const withStore = (body: (store: SubjectKeyStore) => Promise<void>) => async () => {
    const { store, dispose } = await underTest.open();
    try {
      await body(store);
    } finally {
      await dispose();
    }
  };

  describe(`${name} keeps the subject key contract`, () => {
    it(
      'gives a created key back, by its kid and by its subject',
      withStore(async (store) => {
        const key = newKey('ann.1');
        const record = { state: 'present', subject: 'ann', key };
        expect(await store.create('ann', key)).toEqual(record);
        expect(await store.get('ann.1')).toEqual(record);
        expect(await store.listFor('ann')).toEqual([record]);
      }),
    );

    it(
      'knows nothing of a kid or subject nobody created',
      withStore(async (store) => {
        expect(await store.get('nobody.1')).toBeNull();
        expect(await store.listFor('nobody')).toEqual([]);
        expect(await store.rewrap(newKey('nobody.1'))).toBe(false);
        await expect(store.destroy('nobody.1')).rejects.toThrow('nobody.1');
      }),
    );

    it(
      'gives several keys in one answer, as it gives each',
      withStore(async (store) => {
        for (const subject of ['ann', 'ben', 'cleo']) await store.create(subject, newKey(`${subject}.1`));
        await store.destroy('ben.1');
        await store.refuse('cleo');
        const kids = ['cleo.1', 'nobody.1', 'ann.1', 'ben.1', 'ann.1'];
        const each = await Promise.all(kids.map((kid) => store.get(kid)));
        expect(each.map((record) => record?.state)).toEqual(['refused', undefined, 'present', 'destroyed', 'present']);
        expect(await store.getAll(kids)).toEqual(each);
        expect(await store.getAll([])).toEqual([]);
      }),
    );

    it(
      'gives all of 32 racing creators the one key that won',
      withStore(async (store) => {
        const records = await Promise.all(Array.from({ length: 32 }, () => store.create('ann', newKey('ann.1'))));
        const stored = await store.get('ann.1');
        expect(records).toEqual(records.map(() => stored));
      }),
    );

    it(
      'lists the kids of a subject, oldest first, and no one else’s',
      withStore(async (store) => {
        for (const kid of ['ann.9', 'ann.10', 'ann.1']) await store.create('ann', newKey(kid));
        await store.create('ann b', newKey('ann b.1'));
        await store.destroy('ann.10');
        const kids = (await store.listFor('ann')).map((record) =>
          record.state === 'present' ? record.key.kid : record.kid,
        );
        expect(kids).toEqual(['ann.9', 'ann.10', 'ann.1']);
      }),
    );

    it(
      'leaves a tombstone where a key was destroyed; destroying again is no error',
      withStore(async (store) => {
        await store.create('ann', newKey('ann.1'));
        await store.destroy('ann.1');
        await store.destroy('ann.1');
        const tombstone = { state: 'destroyed', subject: 'ann', kid: 'ann.1' };
        expect(await store.get('ann.1')).toEqual(tombstone);
        expect(await store.listFor('ann')).toEqual([tombstone]);
      }),
    );

    it(
      'never makes a destroyed key again, by creating or by rewrapping',
      withStore(async (store) => {
        await store.create('ann', newKey('ann.1'));
        await store.destroy('ann.1');
        expect(await store.create('ann', newKey('ann.1'))).toEqual({
          state: 'destroyed',
          subject: 'ann',
          kid: 'ann.1',
        });
        expect(await store.rewrap(newKey('ann.1'))).toBe(false);
        expect(await store.get('ann.1')).toMatchObject({ state: 'destroyed' });
      }),
    );

    it(
      'replaces the wrapping of a present key and nothing else',
      withStore(async (store) => {
        await store.create('ann', newKey('ann.1'));
        const other = newKey('bob.1');
        await store.create('bob', other);
        const rewrapped = newKey('ann.1', 'kek-2');
        expect(await store.rewrap(rewrapped)).toBe(true);
        expect(await store.get('ann.1')).toEqual({ state: 'present', subject: 'ann', key: rewrapped });
        expect(await store.get('bob.1')).toEqual({ state: 'present', subject: 'bob', key: other });
      }),
    );

    it(
      'gives no key of a refused subject and makes none, and leaves all others alone',
      withStore(async (store) => {
        await store.create('ann', newKey('ann.1'));
        const other = newKey('bob.1');
        await store.create('bob', other);
        await store.refuse('ann');
        await store.refuse('ann');
        const refused = { state: 'refused', subject: 'ann', kid: 'ann.1' };
        expect(await store.get('ann.1')).toEqual(refused);
        expect(await store.listFor('ann')).toEqual([refused]);
        expect(await store.create('ann', newKey('ann.2'))).toEqual({ ...refused, kid: 'ann.2' });
        expect(await store.get('ann.2')).toBeNull();
        expect(await store.get('bob.1')).toEqual({ state: 'present', subject: 'bob', key: other });
      }),
    );

    it(
      'readmits a refused subject once its keys are destroyed, and not before',
      withStore(async (store) => {
        await store.create('ann', newKey('ann.1'));
        await store.refuse('ann');
        await expect(store.readmit('ann')).rejects.toThrow('ann.1');
        expect(await store.get('ann.1')).toMatchObject({ state: 'refused' });
        await store.destroy('ann.1');
        await store.readmit('ann');
        await store.readmit('ann');
        const key = newKey('ann.2');
        expect(await store.create('ann', key)).toEqual({ state: 'present', subject: 'ann', key });
        expect((await store.listFor('ann')).map(({ state }) => state)).toEqual(['destroyed', 'present']);
      }),
    );

    it(
      'pages through every present key once, in the order in which they were made, also while they are rewrapped',
      withStore(async (store) => {
        for (const kid of ['c.1', 'a.1', 'b.1', 'd.1', 'e.1']) await store.create(kid.slice(0, 1), newKey(kid));
        await store.destroy('a.1');
        await store.refuse('b');
        const seen: string[] = [];
        for (let after: string | null = null, more = true; more;) {
          const { keys, next } = await store.present(after, 2);
          seen.push(...keys.map(({ kid }) => kid));
          for (const { kid } of keys) expect(await store.rewrap(newKey(kid, 'kek-2'))).toBe(true);
          more = next !== null;
          after = next;
        }
        expect(seen).toEqual(['c.1', 'b.1', 'd.1', 'e.1']);
        expect((await store.present(null, 9)).keys.map(({ wrappedBy }) => wrappedBy)).toEqual(Array(4).fill('kek-2'));
        expect((await store.present(null, 9)).next).toBeNull();
      }),
    );
  });
}
