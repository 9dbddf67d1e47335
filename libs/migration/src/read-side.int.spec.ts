import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openFileArtifactStore, openSqliteSubjectKeys } from '#lib/event-store';
import { DataFolder } from '#lib/sqlite';

import { MemoryArtifacts } from '../../event-store/src/memory/memory-artifacts.js';
import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { copyReadSide } from './read-side.js';

const BODY = Buffer.from('a body');
const BODY_NAME = createHash('sha256').update(BODY).digest('hex');
const key = (kid: string) => ({ kid, wrapped: `wrapped ${kid}`, wrappedBy: 'w1' });

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-read-side-'));
  const held = DataFolder.take(folder);
  const keys = await openSqliteSubjectKeys({ folder: held });
  for (const kid of ['tuff.1', 'eve.1', 'tuff.2']) await keys.create(kid.split('.')[0]!, key(kid));
  await keys.refuse('eve');
  await keys.destroy('tuff.1');
  await keys.close();
  const artifacts = await openFileArtifactStore({ folder: held });
  await artifacts.put(BODY);
  await artifacts.close();
  held.release();
});
afterAll(() => rmSync(folder, { recursive: true }));

const target = () => ({ keys: new MemorySubjectKeys(), artifacts: new MemoryArtifacts() });

describe('data keys and artifacts that are copied', () => {
  it('are what they were: keys in their order, tombstones, refusals and bodies; again changes nothing', async () => {
    const to = target();
    for (let attempt = 1; attempt <= 2; attempt++) {
      expect(await copyReadSide(folder, to)).toEqual({ data_keys: 3, artifacts: 1 });
      expect(await to.keys.listFor('tuff')).toEqual([
        { state: 'destroyed', subject: 'tuff', kid: 'tuff.1' },
        { state: 'present', subject: 'tuff', key: key('tuff.2') },
      ]);
      expect(await to.keys.get('eve.1')).toEqual({ state: 'refused', subject: 'eve', kid: 'eve.1' });
      expect((await to.keys.present(null, 10)).keys).toEqual([key('eve.1'), key('tuff.2')]);
      expect(await to.artifacts.names(null, 10)).toEqual([BODY_NAME]);
    }
  });

  it('are refused by a target that holds another key under a name, one of another log, or one that is gone here', async () => {
    const same = target();
    await same.keys.create('tuff', { ...key('tuff.2'), wrapped: 'another' });
    await expect(copyReadSide(folder, same)).rejects.toThrow('another data key under the name tuff.2');
    const foreign = target();
    await foreign.keys.create('bob', key('bob.1'));
    await expect(copyReadSide(folder, foreign)).rejects.toThrow('holds the data key bob.1');
    const present = target();
    await present.keys.create('tuff', key('tuff.1'));
    await expect(copyReadSide(folder, present)).rejects.toThrow('another data key under the name tuff.1');
    expect(await present.keys.get('tuff.1')).toMatchObject({ state: 'present' });
  });
});
