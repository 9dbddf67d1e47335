import type { DsrView } from '#lib/dsr';
import { kidOf } from '#lib/event-store';
import { canonicalize, type Json, sha256Hex } from '#lib/kernel';

import { filesBelow } from '../../../../test/support/live-folder.js';

import { type Body, COLOR, DsrHouse, file, look } from './testing/dsr-house.js';

let house: DsrHouse;

/** Every byte of every file there is. */
function filesOf(folder: string): Buffer[] {
  return filesBelow(folder).map(({ bytes }) => bytes);
}

describe('an erased person', () => {
  let id: string;
  let erased: DsrView;
  let jobId: string;
  let kids: readonly string[];
  let before: readonly string[];
  let wrapped: readonly string[];

  beforeAll(async () => {
    house = await DsrHouse.open();
    await house.enrol();
    await house.tuff.send('PUT', `/sem/${COLOR}`, { value: 'ultramarine', notes: 'zinfandel' });
    await house.eve.send('PUT', '/sem/user/profile/user_eve/favorite_color', { value: 'red' });
    jobId = (await house.tuff.ask('What is my favorite color?')).body.job_id;
    await house.tuff.send('POST', `/jobs/${jobId}/feedback`, { upvote: true, comment: 'quite zinfandel' });
    kids = (await house.app.parts.platform.subjectKeys.listFor('user_tuff')).map(kidOf);
    before = await house.app.texts();
    wrapped = (await house.app.parts.platform.subjectKeys.listFor('user_tuff')).map((record) =>
      record.state === 'present' ? record.key.wrapped : '',
    );
    expect(filesOf(house.app.folder).some((bytes) => bytes.includes(wrapped[0]!))).toBe(true);
    id = await house.filed('delete');
    expect((await house.admin.send('POST', `/dsr/${id}/approve`, {})).status).toBe(200);
    await house.keysDestroyed(id);
  });
  afterAll(() => house.app.dispose({ erased: [jobId] }));

  it('is not certified while some process may still hold a key, and can store nothing until then', async () => {
    expect((await look(house.admin, id)).body).toMatchObject({
      status: 'erasing',
      erased_at: null,
      deletion_manifest: null,
    });
    const written = await house.tuff.send<Body>('PUT', '/sem/user/profile/user_tuff/pet', { value: 'dog' });
    const saysSo = expect.stringContaining('is being erased');
    expect(written.body).toMatchObject({ error_code: 'CONFLICT', developer_message: saysSo });
    expect((await house.tuff.ask('What is 2 + 2?')).body).toMatchObject({
      error_code: 'CONFLICT',
      developer_message: saysSo,
    });
    // Not that the code is wrong, which would send the person to their authenticator in vain.
    const proof = { kind: 'export', user_id: 'tuff', identity_proof: { otp: house.otp() } };
    for (const refused of [
      await file(house.tuff, proof),
      await house.tuff.send<Body>('POST', '/auth/step-up', { otp: house.otp() }),
    ]) {
      expect(refused.body).toMatchObject({ error_code: 'UNAUTHENTICATED', developer_message: saysSo });
    }
    expect((await house.eve.send('PUT', '/sem/user/profile/user_eve/pet', { value: 'cat' })).status).toBe(200);
    house.pass(31_000);
    erased = await house.reaches(id, 'erased');
  });

  it('has the events of the specification in the stream of the request, in order', async () => {
    expect((await house.app.stream(`dsr-${id}`)).map(({ type }) => type)).toEqual([
      'DSR_REQUEST',
      'DSR_DELETE_REQUEST',
      'DSR_APPROVED',
      'ERASURE_REQUESTED',
      'SUBJECT_KEYS_DESTROYED',
      'SUBJECT_ERASED',
    ]);
    const deletion = (await house.app.stream(`sem-${COLOR}`)).at(-1)!;
    expect(deletion).toMatchObject({
      type: 'sem_delete',
      data: { key: COLOR, source: 'system', deletion_manifest: { dsr_id: id, writes: 1 } },
    });
    expect(erased.deletion_manifest!.sem_keys).toEqual([{ key: COLOR, event_id: deletion.metadata.event_id }]);
  });

  it('has a manifest of everything that was removed, by the hash of its stored form', async () => {
    const { deletion_manifest: manifest, manifest_hash } = erased;
    expect(manifest_hash).toBe(sha256Hex(canonicalize(manifest as unknown as Json)));
    expect(manifest!.data_keys).toEqual(kids);
    const list = await house.app.parts.platform.artifacts.get(manifest!.events.list);
    expect(sha256Hex(Buffer.from(list!).toString())).toBe(manifest!.events.hash);
    const entries = JSON.parse(Buffer.from(list!).toString()) as readonly { hash: string; type: string }[];
    const mine = before.filter((text) => kids.some((kid) => text.includes(`"kid":"${kid}"`)));
    expect(mine.length).toBeGreaterThan(5);
    expect(entries.map(({ hash }) => hash)).toEqual(expect.arrayContaining(mine.map((text) => sha256Hex(text))));
    expect(manifest!.places.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
      expect.arrayContaining([
        'read_model sem',
        'read_model jobs',
        'cache unwrapped data keys',
        'scratch reruns of projections',
      ]),
    );
  });

  it('reads as erased everywhere: memory, history, the job, its log and its events', async () => {
    expect((await house.tuff.get<Body>(`/sem/${COLOR}`)).body['error_code']).toBe('SEM_NOT_FOUND');
    const { body: history } = await house.tuff.get<Body>(`/sem/${COLOR}/history`);
    expect((history['items'] as Body[]).map(({ value }) => value)).toEqual(['[erased]', null]);
    const job = await house.tuff.get(`/jobs/${jobId}`);
    expect(job).toMatchObject({ status: 200, body: { final_answer: '[erased]', status: 'completed' } });
    const log = await house.tuff.get(`/jobs/${jobId}/log`);
    expect(log).toMatchObject({ status: 200, body: { final_answer: '[erased]', query_text_hash: '[erased]' } });
    expect(log.body.agent_outputs.map(({ text }) => text)).toEqual(['[erased]']);
    expect((log.body as unknown as Body)['user_feedback']).toMatchObject([{ comment: '[erased]' }]);
    const events = await house.tuff.get(`/jobs/${jobId}/events`);
    expect(events.body.items.find(({ type }) => type === 'JOB_ACCEPTED')?.data).toMatchObject({
      query_text: '[erased]',
    });
    expect((await house.tuff.get(`/jobs/${jobId}/explain`)).status).toBe(200);
    for (const path of [`/jobs/${jobId}`, `/jobs/${jobId}/log`, `/jobs/${jobId}/explain`, `/jobs/${jobId}/events`]) {
      expect([path, (await house.admin.get(path)).status]).toEqual([path, 200]);
    }
    expect(JSON.stringify([history, job, log, events])).not.toMatch(/ultramarine|zinfandel|\$erased/);
  });

  it('has jobs that still verify: what was erased is taken from the record and listed as erased', async () => {
    const operator = await house.app.caller('ole', ['operator']);
    const { status, body } = await operator.send<Body>('POST', '/replay/request', { job_id: jobId, mode: 'audit' });
    expect([status, body['verdict'], body['authoritative']]).toEqual([200, 'MATCH_WITH_ERASED_INPUTS', true]);
    const steps = body['steps'] as readonly { step: string; verdict: string; checked: number }[];
    const verdicts = Object.fromEntries(steps.map(({ step, verdict }) => [step, verdict]));
    expect(verdicts).toMatchObject({
      'signatures and hash chain': 'ok',
      seal: 'ok',
      ids: 'ok',
      snapshots: 'ok',
      'request and pinned snapshots': 'erased',
      'agent turns': 'erased',
      'reflective log and seal': 'erased',
    });
    expect(steps.every(({ verdict, checked }) => verdict !== 'failed' && checked > 0)).toBe(true);
  });

  it('is in no file of the data folder, in whichever form, and neither is a way to what was encrypted', () => {
    const files = filesOf(house.app.folder);
    for (const word of ['ultramarine', 'zinfandel']) {
      for (const form of [
        Buffer.from(word),
        Buffer.from(word, 'utf16le'),
        Buffer.from(Buffer.from(word).toString('hex')),
      ])
        expect([word, files.some((bytes) => bytes.includes(form))]).toEqual([word, false]);
      for (const lead of ['', ' ', '  ']) {
        // The three ways in which base64 can begin within a text.
        const inner = Buffer.from(lead + word)
          .toString('base64')
          .slice(lead.length === 0 ? 0 : 4, -4);
        expect([word, files.some((bytes) => bytes.includes(inner))]).toEqual([word, false]);
      }
    }
    for (const key of wrapped) expect(files.some((bytes) => bytes.includes(key))).toBe(false);
  });

  it('leaves nobody else with less', async () => {
    expect((await house.eve.get<Body>('/sem/user/profile/user_eve/favorite_color')).body['value']).toBe('red');
  });

  it('who returns gets a new key, under which nothing old opens; the erased one is never made again', async () => {
    expect((await house.tuff.send('PUT', `/sem/${COLOR}`, { value: 'white' })).status).toBe(200);
    expect((await house.tuff.get<Body>(`/sem/${COLOR}`)).body['value']).toBe('white');
    const records = await house.app.parts.platform.subjectKeys.listFor('user_tuff');
    expect(records.filter((record) => kids.includes(kidOf(record))).map(({ state }) => state)).toEqual(
      kids.map(() => 'destroyed'),
    );
    expect(records.at(-1)!.state).toBe('present');
    expect((await house.tuff.get(`/jobs/${jobId}`)).body.final_answer).toBe('[erased]');
  });
});
