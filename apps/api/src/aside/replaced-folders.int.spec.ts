import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { ForensicStore } from '#lib/audit';
import type { DsrView } from '#lib/dsr';
import {
  EventCodec,
  EventLog,
  kidOf,
  openSqliteEventStore,
  openSqliteSubjectKeys,
  SubjectCiphers,
} from '#lib/event-store';
import { foldersAside, restoreFolder } from '#lib/proof';
import { DataFolder } from '#lib/sqlite';

import { showingIn } from '../../../../test/support/canaries.js';
import { until } from '../../../../test/support/eventually.js';
import { COLOR, DsrHouse } from '../dsr/testing/dsr-house.js';

let house: DsrHouse;
let backup: string;
let aside: string;
/** Of each person, as they were stored before anybody was erased. */
const wrapped: Record<string, readonly string[]> = {};
const evidence: Record<string, string> = {};

const colorOf = (user: string): string => COLOR.replace('user_tuff', `user_${user}`);

async function wrappedOf(user: string): Promise<readonly string[]> {
  const records = await house.app.parts.platform.subjectKeys.listFor(`user_${user}`);
  return records.map((record) => (record.state === 'present' ? record.key.wrapped : ''));
}

const keep = (user: string): Promise<string> =>
  house.app.parts.app.nest
    .get(ForensicStore)
    .keep({ event_type: 'POLICY_VIOLATION', user_id: `user_${user}`, detail: `${user} said so` });

const artifactFile = (ref: string): string => join(aside, 'artifacts', ref.slice(0, 2), ref.slice(2));

async function erase(user: string): Promise<DsrView> {
  const id = await house.filed('delete', user);
  expect((await house.admin.send('POST', `/dsr/${id}/approve`, {})).status).toBe(200);
  await house.keysDestroyed(id);
  house.pass(31_000);
  return house.reaches(id, 'erased');
}

/** What whoever holds the folder and the ring can read of the state that was replaced. */
async function readWithRing(user: string): Promise<string> {
  const dead = mkdtempSync(join(tmpdir(), 'mace-dead-'));
  cpSync(aside, dead, { recursive: true });
  const folder = DataFolder.take(dead);
  const { ring, registry } = house.app.parts.platform;
  const keys = await openSqliteSubjectKeys({ folder });
  const store = await openSqliteEventStore({ folder });
  try {
    const log = new EventLog(store, new EventCodec(registry, ring, new SubjectCiphers(keys, ring)));
    const { events } = await log.load(`sem-${colorOf(user)}`, { personal: 'plain' });
    return JSON.stringify(events);
  } finally {
    await store.close();
    await keys.close();
    folder.release();
    rmSync(dead, { recursive: true });
  }
}

beforeAll(async () => {
  house = await DsrHouse.open();
  backup = mkdtempSync(join(tmpdir(), 'mace-copy-'));
  await house.tuff.send('PUT', `/sem/${COLOR}`, { value: 'ultramarine' });
  evidence['tuff'] = await keep('tuff');
  await house.app.whileClosed(() => cpSync(house.app.folder, backup, { recursive: true }));
  await house.enter();
  // Both only after the copy: the restored log knows nothing of her.
  const nina = await house.app.caller('nina');
  await nina.send('PUT', `/sem/${colorOf('nina')}`, { value: 'vermilion' });
  await house.eve.send('PUT', `/sem/${colorOf('eve')}`, { value: 'red' });
  const olaf = await house.app.caller('olaf');
  await olaf.send('PUT', `/sem/${colorOf('olaf')}`, { value: 'ochre' });
  evidence['nina'] = await keep('nina');
  evidence['pia'] = await keep('pia');
  evidence['eve'] = await keep('eve');
  for (const user of ['tuff', 'nina', 'eve', 'olaf']) wrapped[user] = await wrappedOf(user);
  await house.app.whileClosed(async () => {
    const folder = DataFolder.take(house.app.folder);
    const keyFile = join(house.app.folder, 'keys', 'ring.json');
    const { ring } = house.app.parts.platform;
    await restoreFolder({ folder, from: backup, ring, keyFile, now: Date.now });
    folder.release();
  });
  await house.enter();
  // These come back; of others the folder that was replaced alone knows.
  for (const user of ['nina', 'eve']) {
    const person = await house.app.caller(user);
    await person.send('PUT', `/sem/${colorOf(user)}`, { value: 'grey' });
  }
  aside = foldersAside(house.app.folder)[0]!;
});
afterAll(async () => {
  rmSync(backup, { recursive: true, force: true });
  await house.app.dispose();
});

describe('a folder that a restore replaced', () => {
  it('is the only one that is left of it, and holds what people said, for whoever has the ring', async () => {
    expect(foldersAside(house.app.folder).map((path) => basename(path))).toEqual([
      expect.stringMatching(/^replaced-\d{4}-\d{2}-\d{2}T/),
    ]);
    expect(await readWithRing('tuff')).toContain('ultramarine');
    expect(await readWithRing('nina')).toContain('vermilion');
  });

  it('is emptied of a person’s keys and evidence by an erasure, and the manifest names it', async () => {
    for (const user of ['tuff', 'nina']) {
      const { deletion_manifest } = await erase(user);
      expect(deletion_manifest!.places).toContainEqual({
        kind: 'replaced_folder',
        name: basename(aside),
        found: 1,
        fate: 'purged',
      });
      expect(showingIn(house.app.folder, wrapped[user]!)).toEqual([]);
      expect(() => readFileSync(artifactFile(evidence[user]!))).toThrow('ENOENT');
    }
    expect(await readWithRing('tuff')).not.toContain('ultramarine');
    expect(await readWithRing('nina')).not.toContain('vermilion');
  });

  it('is reason enough to ask for an erasure of somebody of whom it alone knows, by a data key or by evidence', async () => {
    for (const user of ['olaf', 'pia']) await erase(user);
    expect(showingIn(house.app.folder, wrapped['olaf']!)).toEqual([]);
    expect(() => readFileSync(artifactFile(evidence['pia']!))).toThrow('ENOENT');
    const identity_proof = { document_ref: 'passport-1', reason: 'seen at the counter' };
    const nobody = { kind: 'delete', user_id: 'quentin', identity_proof };
    expect((await house.admin.send('POST', '/dsr/request', nobody)).status).toBe(404);
  });

  it('keeps what is of others', async () => {
    expect(showingIn(aside, wrapped['eve']!).length).toBeGreaterThan(0);
    expect(readFileSync(artifactFile(evidence['eve']!)).length).toBeGreaterThan(0);
    expect(await readWithRing('eve')).toContain('red');
  });

  it('loses erased keys again at the start, where a backup of the whole folder brought them back', async () => {
    const { proof, subjectKeys } = house.app.parts.platform;
    const kids = (await subjectKeys.listFor('user_tuff')).map(kidOf);
    await until(
      () => Promise.resolve(kids.every((kid) => proof.erasedKeys().includes(kid))),
      'the list of erased keys',
    );
    await house.app.whileClosed(() => {
      cpSync(join(backup, 'subject-keys.db'), join(aside, 'subject-keys.db'));
      expect(showingIn(aside, wrapped['tuff']!).length).toBeGreaterThan(0);
    });
    await house.enter();
    expect(showingIn(house.app.folder, wrapped['tuff']!)).toEqual([]);
  });

  it('loses a damaged key file as a whole with the next erasure: nobody can say whose keys are in it', async () => {
    writeFileSync(join(aside, 'subject-keys.db'), Buffer.alloc(8192, 'not a database'));
    writeFileSync(join(aside, 'events.db'), Buffer.alloc(8192, 'not a database'));
    const { deletion_manifest } = await erase('eve');
    expect(deletion_manifest!.places).toContainEqual({
      kind: 'replaced_folder',
      name: basename(aside),
      found: null,
      fate: 'purged',
    });
    expect(readdirSync(aside)).not.toContain('subject-keys.db');
    expect(() => readFileSync(artifactFile(evidence['eve']!))).toThrow('ENOENT');
  });
});
