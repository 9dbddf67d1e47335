import { fixtureKeyRing } from '#lib/access';
import { SubjectCiphers } from '#lib/event-store';

import { MemoryArtifacts } from '../../event-store/src/memory/memory-artifacts.js';
import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { HeldValues } from './held-values.js';

const REQUEST = `ar-${'0'.repeat(32)}`;
const OWNER = 'user_tuff';
const VALUE = { content: { value: '123-45-6789' } };

function house() {
  const keys = new MemorySubjectKeys();
  const artifacts = new MemoryArtifacts();
  /** What another process, or this one later, has in memory: nothing. */
  const anew = (): HeldValues => new HeldValues(new SubjectCiphers(keys, fixtureKeyRing()), keys, artifacts);
  const destroyKeysOf = async (subject: string): Promise<void> => {
    for (const record of await keys.listFor(subject))
      if (record.state === 'present') await keys.destroy(record.key.kid);
  };
  const heldNow = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const id of anew().held()) ids.push(id);
    return ids;
  };
  return { artifacts, anew, destroyKeysOf, heldNow };
}

describe('a held value', () => {
  it('is opened under its request alone', async () => {
    const { anew, artifacts } = house();
    const name = await anew().hold(REQUEST, OWNER, VALUE);
    expect(await anew().open(REQUEST, name)).toEqual(VALUE);
    expect(Buffer.from((await artifacts.get(name))!).toString()).not.toContain('6789');
    await expect(anew().open(`ar-${'1'.repeat(32)}`, name)).rejects.toThrow(/does not open/);
  });

  it('put away again is the same one', async () => {
    const { anew } = house();
    expect(await anew().hold(REQUEST, OWNER, VALUE)).toBe(await anew().hold(REQUEST, OWNER, VALUE));
  });

  it('is gone once it is destroyed, and destroying it again is no error', async () => {
    const { anew, heldNow } = house();
    const name = await anew().hold(REQUEST, OWNER, VALUE);
    expect(await heldNow()).toEqual([REQUEST]);
    for (let i = 0; i < 2; i++) await anew().destroy(REQUEST, name);
    expect(await anew().open(REQUEST, name)).toBeNull();
    expect(await heldNow()).toEqual([]);
  });

  it('is gone with its own key, though what was stored is still there', async () => {
    const { anew, destroyKeysOf } = house();
    const name = await anew().hold(REQUEST, OWNER, VALUE);
    await destroyKeysOf(`held-${REQUEST}`);
    expect(await anew().open(REQUEST, name)).toBeNull();
  });

  it('is gone with its owner’s key', async () => {
    const { anew, destroyKeysOf } = house();
    const name = await anew().hold(REQUEST, OWNER, VALUE);
    await destroyKeysOf(OWNER);
    expect(await anew().open(REQUEST, name)).toBeNull();
  });

  it('is found among keys that are people’s', async () => {
    const { anew, heldNow } = house();
    for (let i = 0; i < 3; i++) await anew().hold(`ar-${i}`, `user_${i}`, VALUE);
    expect((await heldNow()).sort()).toEqual(['ar-0', 'ar-1', 'ar-2']);
  });
});
