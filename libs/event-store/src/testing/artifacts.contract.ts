import { createHash, randomBytes } from 'node:crypto';

import { type ArtifactStore } from '../artifacts.js';

export interface ArtifactStoreUnderTest {
  /** An empty store for one test. */
  readonly open: () => Promise<{ readonly store: ArtifactStore; readonly dispose: () => Promise<void> }>;
}

const sha256 = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');

/** What every adapter of the artifact port does. */
export function describeArtifactStoreContract(name: string, underTest: ArtifactStoreUnderTest): void {
  const withStore = (body: (store: ArtifactStore) => Promise<void>) => async () => {
    const { store, dispose } = await underTest.open();
    try {
      await body(store);
    } finally {
      await dispose();
    }
  };

  describe(`${name} keeps the artifact contract`, () => {
    it.each([0, 1, 4096, 5_000_000])('gives %i bytes back under their SHA-256', (length) =>
      withStore(async (store) => {
        const body = randomBytes(length);
        const artifact = await store.put(body);
        expect(artifact).toBe(sha256(body));
        expect(Buffer.compare((await store.get(artifact))!, body)).toBe(0);
      })(),
    );

    it(
      'takes the same bytes any number of times, also at once',
      withStore(async (store) => {
        const body = randomBytes(10_000);
        const names = await Promise.all(Array.from({ length: 16 }, () => store.put(body)));
        expect(new Set(names)).toEqual(new Set([sha256(body)]));
        expect(await store.put(body)).toBe(names[0]);
        expect([await store.has(names[0]!), await store.has(sha256(Buffer.from('other')))]).toEqual([true, false]);
        expect(await store.delete(names[0]!)).toBe(true);
        expect([await store.has(names[0]!), await store.get(names[0]!)]).toEqual([false, null]);
      }),
    );

    it(
      'keeps what it was given, not what the caller makes of it afterwards',
      withStore(async (store) => {
        const body = Buffer.from('as it was');
        const artifact = await store.put(body);
        body.fill(0);
        expect(Buffer.from((await store.get(artifact))!).toString()).toBe('as it was');
      }),
    );

    it(
      'names what it holds, in order and by pages, and nothing that was deleted',
      withStore(async (store) => {
        expect(await store.names(null, 10)).toEqual([]);
        const bodies = Array.from({ length: 7 }, (_, i) => Buffer.from(`body ${i}`));
        const names = await Promise.all(bodies.map((body) => store.put(body)));
        await store.delete(names.pop()!);
        names.sort();
        expect(await store.names(null, 4)).toEqual(names.slice(0, 4));
        expect(await store.names(names[3]!, 4)).toEqual(names.slice(4));
        expect(await store.names(names[5]!, 4)).toEqual([]);
      }),
    );

    it(
      'deletes once, and takes the same bytes anew',
      withStore(async (store) => {
        const body = randomBytes(100);
        const artifact = await store.put(body);
        const other = await store.put(randomBytes(100));
        expect(await store.delete(artifact)).toBe(true);
        expect(await store.delete(artifact)).toBe(false);
        expect(await store.get(artifact)).toBeNull();
        expect(await store.get(other)).not.toBeNull();
        await store.put(body);
        expect(await store.get(artifact)).not.toBeNull();
      }),
    );

    it.each([
      '',
      '..',
      '../../etc/passwd',
      '/etc/passwd',
      'A'.repeat(64),
      'a'.repeat(63),
      `${'a'.repeat(64)}/..`,
      'ab\0',
      '0'.repeat(64),
    ])('has nothing under the name %j', (artifact) =>
      withStore(async (store) => {
        expect(await store.get(artifact)).toBeNull();
        expect(await store.delete(artifact)).toBe(false);
      })(),
    );
  });
}
