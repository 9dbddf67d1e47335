import { randomBytes } from 'node:crypto';

import { rewrapDataKeys } from '../data-key-rotation.js';
import { type KeyWrapping, UnusableSubjectKeyError } from '../key-wrapping.js';
import { MemorySubjectKeys } from '../memory/memory-subject-keys.js';

export interface KeyWrappingUnderTest {
  readonly wrapping: KeyWrapping;
  /** Makes a newer key-encryption key, and gives what wraps under it from then on. */
  readonly rotate: () => Promise<KeyWrapping>;
  readonly dispose: () => Promise<void>;
}

/** What every adapter of the key-encryption key does. */
export function describeKeyWrappingContract(name: string, open: () => Promise<KeyWrappingUnderTest>): void {
  const using = (body: (underTest: KeyWrappingUnderTest) => Promise<void>) => async () => {
    const underTest = await open();
    try {
      await body(underTest);
    } finally {
      await underTest.dispose();
    }
  };

  describe(`${name} keeps the contract of key wrapping`, () => {
    it(
      'gives a wrapped key back as it was, and nothing of it stands in the wrapped form',
      using(async ({ wrapping }) => {
        const dataKey = randomBytes(32);
        const key = await wrapping.wrap('ann.1', dataKey);
        expect(key.kid).toBe('ann.1');
        expect(await wrapping.unwrap(key)).toEqual(dataKey);
        const stored = JSON.stringify(key);
        for (const form of ['hex', 'base64'] as const)
          expect(stored).not.toContain(dataKey.toString(form).slice(0, 40));
        expect((await wrapping.wrap('ann.1', dataKey)).wrapped).not.toBe(key.wrapped);
      }),
    );

    it(
      'opens a key under no other kid, and none that was altered',
      using(async ({ wrapping }) => {
        const key = await wrapping.wrap('ann.1', randomBytes(32));
        await expect(wrapping.unwrap({ ...key, kid: 'bob.1' })).rejects.toThrow(UnusableSubjectKeyError);
        const last = key.wrapped.at(-6)!;
        const altered = `${key.wrapped.slice(0, -6)}${last === 'A' ? 'B' : 'A'}${key.wrapped.slice(-5)}`;
        await expect(wrapping.unwrap({ ...key, wrapped: altered })).rejects.toThrow(UnusableSubjectKeyError);
        await expect(wrapping.unwrap({ ...key, wrapped: 'vault:v1:AAAA' })).rejects.toThrow(UnusableSubjectKeyError);
      }),
    );

    it(
      'wraps under the newest key after a rotation and still opens what the one before wrapped',
      using(async ({ wrapping, rotate }) => {
        const dataKey = randomBytes(32);
        const old = await wrapping.wrap('ann.1', dataKey);
        expect(await wrapping.rewrap(old)).toBeNull();
        const newer = await rotate();
        expect(await newer.unwrap(old)).toEqual(dataKey);
        const again = (await newer.rewrap(old))!;
        expect(again.wrappedBy).not.toBe(old.wrappedBy);
        expect(again.kid).toBe('ann.1');
        expect(await newer.unwrap(again)).toEqual(dataKey);
        expect(await newer.rewrap(again)).toBeNull();
      }),
    );

    it(
      'brings every data key under the newest one, going on where it was broken off',
      using(async ({ wrapping, rotate }) => {
        const store = new MemorySubjectKeys();
        const dataKeys = Array.from({ length: 7 }, () => randomBytes(32));
        for (const [i, dataKey] of dataKeys.entries()) {
          await store.create(`p${i}`, await wrapping.wrap(`p${i}.1`, dataKey));
        }
        await store.destroy('p3.1');
        const newer = await rotate();
        let asked = 0;
        const breaking: KeyWrapping = {
          wrap: (kid, dataKey) => newer.wrap(kid, dataKey),
          unwrap: (key) => newer.unwrap(key),
          rewrap: (key) => (++asked > 3 ? Promise.reject(new Error('broken off')) : newer.rewrap(key)),
        };
        await expect(rewrapDataKeys(store, breaking)).rejects.toThrow('broken off');
        expect(await rewrapDataKeys(store, newer)).toEqual({ seen: 6, rewrapped: 3 });
        expect(await rewrapDataKeys(store, newer)).toEqual({ seen: 6, rewrapped: 0 });
        for (const [i, dataKey] of dataKeys.entries()) {
          const record = (await store.get(`p${i}.1`))!;
          if (record.state !== 'present') continue;
          expect(await newer.unwrap(record.key)).toEqual(dataKey);
        }
        expect(await store.get('p3.1')).toMatchObject({ state: 'destroyed' });
      }),
    );
  });
}
