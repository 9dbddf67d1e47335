import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type EvidenceView, ForensicStore } from '#lib/audit';
import type { DsrView } from '#lib/dsr';
import { EventCodec, EventLog, kidOf, openSqliteEventStore, type SubjectKeyRecord } from '#lib/event-store';
import { type EventDefinition, EventRegistry, type JsonObject, systemSeed, traceId } from '#lib/kernel';
import { foldersAside, restoreFolder } from '#lib/proof';
import { DataFolder } from '#lib/sqlite';

import { until } from '../../../../test/support/eventually.js';
import { COLOR, DsrHouse } from '../dsr/testing/dsr-house.js';
import { carryErasures, missingRequests } from './carried-erasures.js';

const SALARY = 'tuff said that the salary is 12345 crowns';

let house: DsrHouse;
let work: string;
/** Of before the deletion. */
let copy: string;
/** Of after it, to begin each case from. */
let after: string;
let purged: string;
let held: string;
let dsrId: string;
let holdId: string;

const keep = (user: string, detail: string): Promise<string> =>
  house.app.parts.app.nest.get(ForensicStore).keep({ event_type: 'AGENT_EXCEPTION', user_id: `user_${user}`, detail });

const evidence = async (ref: string): Promise<EvidenceView> =>
  (await house.admin.get<EvidenceView>(`/audit/evidence/${ref}`)).body;

const fileOf = (folder: string, ref: string): string => join(folder, 'artifacts', ref.slice(0, 2), ref.slice(2));
const typesOf = async (stream: string): Promise<readonly string[]> =>
  (await house.app.stream(stream)).map(({ type }) => type);

async function restore(): Promise<void> {
  const folder = DataFolder.take(house.app.folder);
  const keyFile = join(house.app.folder, 'keys', 'ring.json');
  const { ring } = house.app.parts.platform;
  await restoreFolder({ folder, from: copy, ring, keyFile, now: Date.now });
  folder.release();
}

function emptied(): void {
  for (const name of readdirSync(house.app.folder)) rmSync(join(house.app.folder, name), { recursive: true });
}

/** The folder of after the deletion, a restore of the copy, and what happens to it before the start. */
async function restored(change: () => void | Promise<void> = () => undefined): Promise<void> {
  await house.app.whileClosed(async () => {
    emptied();
    cpSync(after, house.app.folder, { recursive: true });
    await restore();
    await change();
  });
  await house.enter();
}

beforeAll(async () => {
  house = await DsrHouse.open();
  work = mkdtempSync(join(tmpdir(), 'mace-carried-'));
  [copy, after] = [join(work, 'copy'), join(work, 'after')];
  await house.tuff.send('PUT', `/sem/${COLOR}`, { value: 'ultramarine' });
  await house.eve.send('PUT', `/sem/${COLOR.replace('tuff', 'eve')}`, { value: 'red' });
  purged = await keep('tuff', SALARY);
  held = await keep('tuff', 'tuff said something that a court asks for');
  await house.app.whileClosed(() => cpSync(house.app.folder, copy, { recursive: true }));
  await house.enter();
  const hold = { evidence_ref: held, reason: 'preservation order 12/2026' };
  holdId = (await house.admin.send<{ hold_id: string }>('POST', '/dsr/holds', hold)).body.hold_id;
  dsrId = await house.filed('delete');
  expect((await house.admin.send('POST', `/dsr/${dsrId}/approve`, {})).status).toBe(200);
  await house.keysDestroyed(dsrId);
  house.pass(31_000);
  const { deletion_manifest } = await house.reaches(dsrId, 'erased');
  expect(deletion_manifest!.forensic).toContainEqual({ evidence_ref: purged, fate: 'purged', legal_hold: null });
  const { proof } = house.app.parts.platform;
  await until(
    () => Promise.resolve(proof.erasedRequests().length === 1 && proof.erasedEvidence().length === 1),
    'the list',
  );
  await house.app.whileClosed(() => cpSync(house.app.folder, after, { recursive: true }));
  await house.enter();
});
afterAll(async () => {
  rmSync(work, { recursive: true, force: true });
  await house.app.dispose();
});

describe('a restore of a copy from before a deletion', () => {
  it('gives back no evidence that was deleted, and its trail says for which request it went', async () => {
    expect(existsSync(fileOf(copy, purged))).toBe(true);
    await restored();
    expect(existsSync(fileOf(house.app.folder, purged))).toBe(false);
    expect(await evidence(purged)).toMatchObject({ erased: true, missing: false, record: null });
    const trail = await house.app.stream(`forensic-${purged}`);
    expect(trail.filter(({ type }) => type === 'FORENSIC_ERASED').map(({ data }) => data)).toEqual([
      { evidence_ref: purged, dsr_id: dsrId },
    ]);
  });

  it('carries the deletion out again, under its own name, with a certificate that is true of the restored log', async () => {
    await house.keysDestroyed(dsrId);
    house.pass(31_000);
    const view: DsrView = await house.reaches(dsrId, 'erased');
    expect(view).toMatchObject({ reason: '[erased]', requested_by: 'user_clara', approved_by: 'user_ada' });
    expect(view.deletion_manifest!.forensic).toEqual([
      { evidence_ref: purged, fate: 'purged', legal_hold: null },
      { evidence_ref: held, fate: 'kept', legal_hold: holdId },
    ]);
    expect(view.deletion_manifest!.sem_keys).toMatchObject([{ key: COLOR }]);
    expect(view.deletion_manifest!.data_keys).toHaveLength(1);
    expect(await evidence(held)).toMatchObject({ erased: false, missing: false });
  });

  it('leaves what is of others', async () => {
    expect((await house.eve.get(`/sem/${COLOR.replace('tuff', 'eve')}`)).body).toMatchObject({ value: 'red' });
  });

  it('deletes it again at a start, where somebody put the file back by hand, here and in what was set aside', async () => {
    const [aside] = foldersAside(house.app.folder);
    await house.app.whileClosed(() => {
      for (const folder of [house.app.folder, aside!]) cpSync(fileOf(copy, purged), fileOf(folder, purged));
    });
    await house.enter();
    for (const folder of [house.app.folder, aside!]) expect(existsSync(fileOf(folder, purged))).toBe(false);
    expect((await typesOf(`forensic-${purged}`)).filter((type) => type === 'FORENSIC_ERASED')).toHaveLength(1);
  });

  it('is carried once by a second restore, beside which both replaced logs lie', async () => {
    await house.app.whileClosed(restore);
    await house.enter();
    expect(foldersAside(house.app.folder)).toHaveLength(2);
    await house.keysDestroyed(dsrId);
    house.pass(31_000);
    await house.reaches(dsrId, 'erased');
    expect(await typesOf(`dsr-${dsrId}`)).toEqual([
      'DSR_REQUEST',
      'DSR_DELETE_REQUEST',
      'DSR_APPROVED',
      'ERASURE_REQUESTED',
      'SUBJECT_KEYS_DESTROYED',
      'SUBJECT_ERASED',
    ]);
    expect(await typesOf('system-legal-holds')).toEqual(['LEGAL_HOLD_PLACED']);
    expect(await evidence(purged)).toMatchObject({ erased: true });
  });

  it('goes by the list beside the keys alone, where the replaced log is lost, and names the deletion that it lacks', async () => {
    await restored(() => {
      for (const path of foldersAside(house.app.folder)) rmSync(path, { recursive: true });
    });
    expect(existsSync(fileOf(house.app.folder, purged))).toBe(false);
    expect(await evidence(purged)).toMatchObject({ erased: true });
    expect((await house.admin.get(`/dsr/${dsrId}`)).status).toBe(404);
    const { proof, events } = house.app.parts.platform;
    expect(await missingRequests(events, proof.erasedRequests())).toEqual([{ dsrId, userId: 'user_tuff' }]);
  });

  it('goes by the replaced log alone, where the list is lost; broken off after any step, it ends the same', async () => {
    const hidden = join(work, 'hidden');
    let aside = '';
    await restored(() => {
      [aside = ''] = foldersAside(house.app.folder);
      renameSync(aside, hidden);
      const checkpoints = join(house.app.folder, 'keys', 'checkpoints');
      for (const name of readdirSync(checkpoints)) if (name.endsWith('.erased')) rmSync(join(checkpoints, name));
    });
    expect(await evidence(purged)).toMatchObject({ erased: false, record: { detail: SALARY } });
    renameSync(hidden, aside);
    const destroyed = new Set<string>();
    let rounds = 0;
    while (!(await carriedWithin(rounds, destroyed))) rounds++;
    // A hold, four events of the request, one key; and with the key gone, a trail's beginning and its evidence.
    expect(rounds).toBe(7);
    const { subjectKeys, events, proof } = house.app.parts.platform;
    expect([...destroyed]).toEqual((await subjectKeys.listFor('user_tuff')).map(kidOf));
    expect(await evidence(purged)).toMatchObject({ erased: true, record: null });
    expect(existsSync(fileOf(house.app.folder, purged))).toBe(false);
    expect((await typesOf(`dsr-${dsrId}`)).slice(0, 4)).toEqual([
      'DSR_REQUEST',
      'DSR_DELETE_REQUEST',
      'DSR_APPROVED',
      'ERASURE_REQUESTED',
    ]);
    expect(await typesOf('system-legal-holds')).toEqual(['LEGAL_HOLD_PLACED']);
    expect((await typesOf(`forensic-${purged}`)).filter((type) => type === 'FORENSIC_ERASED')).toHaveLength(1);
    expect(await missingRequests(events, proof.erasedRequests())).toEqual([]);
  });

  it('passes over holds of a form in which none is placed, and carries what else there is', async () => {
    const hold = {
      hold_id: 'lh-1',
      evidence_ref: 'e'.repeat(64),
      reason: 'r',
      placed_by: 'user_ada',
      placed_at: 'now',
    };
    const { reason: _, ...unexplained } = hold;
    const odd = [
      { ...hold, evidence_ref: 7 },
      { ...hold, evidence_ref: 'none' },
      { ...hold, more: 1 },
      unexplained,
      {},
    ];
    await restored(async () => {
      await addedAside('system-legal-holds', HOLD, odd);
      await addedAside('elsewhere', HOLD, [hold]);
    });
    expect((await house.app.stream('system-legal-holds')).map(({ data }) => data)).toMatchObject([{ hold_id: holdId }]);
    expect(await typesOf('elsewhere')).toEqual([]);
    expect(await typesOf(`dsr-${dsrId}`)).toContain('DSR_APPROVED');
  });

  it('says of evidence from after the copy, too, that it was kept and deleted', async () => {
    const [evidence_ref, dsr_id] = ['d'.repeat(64), `dr-${'2'.repeat(32)}`];
    const kept = { evidence_ref, event_type: 'AGENT_EXCEPTION', kid: 'forensic-1', user_id: 'user_tuff' };
    await restored(async () => {
      await addedAside(`forensic-${evidence_ref}`, 'FORENSIC_KEPT', [{ ...kept, more: 1 }]);
      await addedAside(`forensic-${evidence_ref}`, 'FORENSIC_ERASED', [{ evidence_ref, dsr_id }]);
    });
    const trail = (await house.app.stream(`forensic-${evidence_ref}`)).map(({ type, data }) => ({ type, data }));
    expect(trail).toEqual([
      { type: 'FORENSIC_KEPT', data: kept },
      { type: 'FORENSIC_ERASED', data: { evidence_ref, dsr_id } },
    ]);
  });

  it('records a deletion of which no request is known any more without one', async () => {
    const store = house.app.parts.app.nest.get(ForensicStore);
    const ref = await keep('eve', 'eve said so');
    await store.erase(ref, null);
    expect((await house.app.stream(`forensic-${ref}`)).at(-1)).toMatchObject({
      type: 'FORENSIC_ERASED',
      data: { evidence_ref: ref },
    });
  });
});

const HOLD = 'LEGAL_HOLD_PLACED';
const WIDER: readonly EventDefinition[] = [
  { type: HOLD, version: 1, plain: ['hold_id', 'evidence_ref', 'reason', 'placed_by', 'placed_at', 'more'] },
  { type: 'FORENSIC_KEPT', version: 1, plain: ['evidence_ref', 'event_type', 'kid', 'job_id', 'user_id', 'more'] },
  { type: 'FORENSIC_ERASED', version: 1, plain: ['evidence_ref', 'dsr_id'] },
];

/** Signs events into the log that the last restore replaced, of whatever form. */
async function addedAside(stream: string, type: string, all: readonly JsonObject[]): Promise<void> {
  const { ring, ciphers } = house.app.parts.platform;
  const folder = DataFolder.take(foldersAside(house.app.folder).at(-1)!);
  const store = await openSqliteEventStore({ folder });
  const log = new EventLog(store, new EventCodec(new EventRegistry(WIDER), ring, ciphers));
  const { head } = await log.load(stream);
  const jobSeed = systemSeed('odd', `${stream} ${type}`);
  const provenance = { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
  await log.append(
    head,
    all.map((data) => ({ type, data })),
    provenance,
  );
  await store.close();
  folder.release();
}

/**
 * Carries erasures until so many steps are done, and is broken off at the next.
 * @param destroyed kids that were; here the erasure which goes on by itself destroys them too
 * @returns whether it came to its end
 */
async function carriedWithin(steps: number, destroyed: Set<string>): Promise<boolean> {
  const { events, codec, ciphers, log } = house.app.parts.platform;
  const store = house.app.parts.app.nest.get(ForensicStore);
  const broken = new Error('broken off');
  let left = steps;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    if (left-- === 0) throw broken;
    return work();
  };
  const execute = (request: Parameters<EventLog['execute']>[0]) => step(() => events.execute(request));
  const stateOf = (kid: string): string => (destroyed.has(kid) ? 'destroyed' : 'present');
  try {
    await carryErasures({
      events: { execute } as unknown as EventLog,
      codec,
      ciphers,
      dataDir: house.app.folder,
      keys: {
        get: (kid) => Promise.resolve({ state: stateOf(kid) } as SubjectKeyRecord),
        destroy: (kid) => step(async () => void destroyed.add(kid)),
      },
      evidence: { erase: (ref, request) => step(() => store.erase(ref, request)) },
      log,
    });
    return true;
  } catch (error) {
    if (error !== broken) throw error;
    return false;
  }
}
