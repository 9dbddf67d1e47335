import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { generateSync } from 'otplib';

import { ForensicStore } from '#lib/audit';
import type { DsrView, Exported } from '#lib/dsr';
import { kidOf } from '#lib/event-store';
import { canonicalize, type Json, jobId as jobIdOf, queryId, sha256Hex, traceId } from '#lib/kernel';

import { type Caller, JobApp } from '../../../../test/support/job-app.js';

type Body = Record<string, unknown>;

const COLOR = 'user/profile/user_tuff/favorite_color';
const ELEVATED = ['otp'];
const DOCUMENT = { document_ref: 'passport-check-12', reason: 'seen at the counter' };

let clock = Date.now();
let app: JobApp;
let tuff: Caller;
let eve: Caller;
let admin: Caller;
/** Another admin: nobody approves what they filed. */
let clerk: Caller;
let secret: string;

/** The code that the person's authenticator shows; each step's is taken once, so time moves on. */
function otp(): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) });
}

async function callers(): Promise<void> {
  tuff = await app.caller('tuff');
  eve = await app.caller('eve');
  admin = await app.caller('ada', ['admin'], ELEVATED);
  clerk = await app.caller('clara', ['admin'], ELEVATED);
}

const file = (by: Caller, body: Body, key?: string) =>
  by.send<Body>('POST', '/dsr/request', body, key === undefined ? {} : { 'idempotency-key': key });
const look = (by: Caller, id: string) => by.get<DsrView & Body>(`/dsr/${id}`);

async function filed(kind: string, user_id = 'tuff', by = clerk): Promise<string> {
  const { status, body } = await file(by, { kind, user_id, identity_proof: DOCUMENT });
  expect([status, body]).toEqual([200, { dsr_id: expect.stringMatching(/^dr-[0-9a-f]{32}$/) }]);
  return body['dsr_id'] as string;
}

async function until<T>(find: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const found = await find();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('it did not come about');
}

/** Every byte of every file there is. */
function filesOf(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}

const reaches = (id: string, status: string): Promise<DsrView> =>
  until(async () => {
    const { body } = await look(admin, id);
    return body.status === status ? body : null;
  });

describe('a request', () => {
  beforeAll(async () => {
    app = await JobApp.open({ now: () => clock });
    await callers();
    secret = (await app.parts.platform.secondFactors.enrol('user_tuff', Date.now())).secret;
  });
  afterAll(() => app.dispose());

  it('is filed by the person with their own one-time code, and the check of identity is on record', async () => {
    const code = otp();
    const form = { kind: 'export', user_id: 'Tuff', identity_proof: { otp: code } };
    const first = await file(tuff, form, 'dsr-1');
    expect(first).toMatchObject({ status: 200, body: { dsr_id: expect.any(String) } });
    // The same request again is the same answer although its code is used up.
    expect((await file(tuff, form, 'dsr-1')).body).toEqual(first.body);
    expect((await file(tuff, { ...form, kind: 'delete' }, 'dsr-1')).body['error_code']).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await file(tuff, form)).body).toMatchObject({ error_code: 'UNAUTHENTICATED' });
    const [event, ...more] = await app.stream(`dsr-${first.body['dsr_id'] as string}`);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'DSR_REQUEST',
      data: { kind: 'export', user_id: 'user_tuff', requested_by: 'user_tuff', identity_method: 'otp' },
    });
    expect(JSON.stringify(await app.texts())).not.toContain(code);
  });

  it('for another is an elevated admin’s alone, by a document and a reason that only stays as long as the person', async () => {
    const proof = { kind: 'delete', user_id: 'tuff', identity_proof: DOCUMENT };
    expect((await file(eve, proof)).body['error_code']).toBe('PERMISSION_DENIED');
    expect((await file(await app.caller('ole', ['operator'], ELEVATED), proof)).status).toBe(403);
    const plain = await file(await app.caller('ada', ['admin']), proof);
    expect([plain.status, plain.headers['www-authenticate']]).toEqual([401, expect.stringContaining('max_age=300')]);
    const id = await filed('delete');
    const events = await app.stream(`dsr-${id}`);
    expect(events.map(({ type }) => type)).toEqual(['DSR_REQUEST', 'DSR_DELETE_REQUEST']);
    expect((await app.texts()).join('')).not.toContain(DOCUMENT.reason);
    expect((await look(admin, id)).body).toMatchObject({
      status: 'waiting_for_approval',
      document_ref: DOCUMENT.document_ref,
      reason: DOCUMENT.reason,
      requested_by: 'user_clara',
    });
  });

  it('by a one-time code is for oneself: nobody can use up another’s tries', async () => {
    for (const by of [eve, admin]) {
      const tried = await file(by, { kind: 'delete', user_id: 'tuff', identity_proof: { otp: '000000' } });
      expect(tried.body['error_code']).toBe('PERMISSION_DENIED');
    }
    expect((await app.stream('principal-user_tuff')).map(({ type }) => type)).not.toContain('OTP_REFUSED');
  });

  it.each([
    [{ kind: 'forget', user_id: 'tuff', identity_proof: DOCUMENT }, 'INVALID_INPUT'],
    [{ kind: 'delete', user_id: 'tuff', identity_proof: {} }, 'INVALID_INPUT'],
    [{ kind: 'delete', user_id: 'tuff', identity_proof: { otp: '12345' } }, 'INVALID_INPUT'],
    [{ kind: 'delete', user_id: 'tuff', identity_proof: { ...DOCUMENT, otp: '123456' } }, 'INVALID_INPUT'],
    [{ kind: 'delete', user_id: 'tuff', identity_proof: { document_ref: 'a b', reason: 'r' } }, 'INVALID_INPUT'],
    [{ kind: 'delete', user_id: 'tuff', identity_proof: { document_ref: 'a', reason: ' ' } }, 'INVALID_INPUT'],
    [{ kind: 'delete', user_id: 'tuff' }, 'INVALID_INPUT'],
    [{ kind: 'delete', user_id: 'tuff', identity_proof: DOCUMENT, more: 1 }, 'INVALID_INPUT'],
    [{ kind: 'delete', user_id: 'john@company.com', identity_proof: DOCUMENT }, 'PRIVACY_BLOCKED'],
    [
      { kind: 'delete', user_id: 'tuff', identity_proof: { ...DOCUMENT, reason: 'SSN 523-45-6789' } },
      'PRIVACY_BLOCKED',
    ],
    [{ kind: 'delete', user_id: 'nobody-knows', identity_proof: DOCUMENT }, 'NOT_FOUND'],
  ])('%j is refused: %s', async (form, code) => {
    const { body } = await file(admin, form);
    expect(body['error_code']).toBe(code);
    expect(JSON.stringify(body)).not.toContain('523-45');
  });

  it('is seen by the person, who filed it, admins and the council, and is not there for anybody else', async () => {
    const id = await filed('delete');
    const council = await app.caller('cora', ['council']);
    for (const by of [tuff, admin, council]) expect((await look(by, id)).status).toBe(200);
    const others = await look(eve, id);
    const none = await look(eve, `dr-${'0'.repeat(32)}`);
    expect([others.status, others.body['error_code']]).toEqual([404, 'NOT_FOUND']);
    expect(String(others.body['developer_message']).replace(id, '')).toBe(
      String(none.body['developer_message']).replace(`dr-${'0'.repeat(32)}`, ''),
    );
    expect((await look(await app.caller('ole', ['operator']), id)).status).toBe(404);
  });

  it('to delete does nothing before an admin or the council approves, once', async () => {
    const id = await filed('delete', 'eve');
    expect((await eve.send<Body>('PUT', '/sem/user/profile/user_eve/pet', { value: 'cat' })).status).toBe(200);
    expect((await eve.send('POST', `/dsr/${id}/approve`, {})).status).toBe(403);
    expect((await (await app.caller('cora', ['council'])).send('POST', `/dsr/${id}/approve`, {})).status).toBe(401);
    expect((await admin.send<Body>('POST', `/dsr/${id}/approve`, { sure: true })).body['error_code']).toBe(
      'INVALID_INPUT',
    );
    expect((await admin.send('POST', `/dsr/dr-${'0'.repeat(32)}/approve`, {})).status).toBe(404);
    expect((await eve.get<Body>('/sem/user/profile/user_eve/pet')).body).toMatchObject({ value: 'cat' });
    expect((await clerk.send<Body>('POST', `/dsr/${id}/approve`, {})).body['error_code']).toBe('PERMISSION_DENIED');
    expect((await eve.get<Body>('/sem/user/profile/user_eve/pet')).body).toMatchObject({ value: 'cat' });
    const council = await app.caller('cora', ['council'], ELEVATED);
    const approved = await council.send<Body>('POST', `/dsr/${id}/approve`, {}, { 'idempotency-key': 'a-1' });
    expect(approved).toMatchObject({ status: 200, body: { approved_by: 'user_cora' } });
    expect((await council.send('POST', `/dsr/${id}/approve`, {}, { 'idempotency-key': 'a-1' })).status).toBe(200);
    expect((await admin.send<Body>('POST', `/dsr/${id}/approve`, {})).body).toMatchObject({
      error_code: 'CONFLICT',
      developer_message: `${id} was approved by user_cora`,
    });
    await until(async () => ((await look(admin, id)).body.keys_destroyed_at === null ? null : true));
    clock += 31_000;
    await reaches(id, 'erased');
  });
});

describe('an export', () => {
  beforeAll(async () => {
    app = await JobApp.open({ now: () => clock });
    await callers();
    await tuff.send('PUT', `/sem/${COLOR}`, { value: 'blue', notes: 'as ever', meta: { locale: 'en' } });
    await tuff.send('PUT', `/sem/${COLOR}`, { value: 'green' });
    await eve.send('PUT', '/sem/user/profile/user_eve/favorite_color', { value: 'red' });
    await tuff.ask('What is my favorite color?');
    await eve.ask('What is my favorite color?');
  });
  afterAll(() => app.dispose());

  const take = (by: Caller, id: string) => by.get<Exported & Body>(`/dsr/${id}/export`);

  it('holds what the person said and was told up to the request, with its digest, and nothing of others', async () => {
    const id = await filed('export');
    await tuff.send('PUT', `/sem/${COLOR}`, { value: 'later' });
    const { status, body } = await take(tuff, id);
    expect(status).toBe(200);
    const { digest, package: made } = body;
    expect(digest).toBe(sha256Hex(canonicalize(made as unknown as Json)));
    expect(made.memory[COLOR]!.map(({ content }) => content)).toEqual([
      expect.objectContaining({ value: 'blue', notes: 'as ever', meta: { locale: 'en' } }),
      expect.objectContaining({ value: 'green' }),
    ]);
    expect(made.records.map(({ type, data }) => [type, data['query_text'] ?? data['final_answer']])).toEqual([
      ['JOB_ACCEPTED', 'What is my favorite color?'],
      ['REFLECTIVE_LOG_WRITTEN', 'Your favorite color is green.'],
    ]);
    const text = JSON.stringify(body);
    for (const foreign of ['red', 'user_eve', 'later', '_hash', 'pii_hash']) expect(text).not.toContain(foreign);
  });

  it('is the same bytes each time, and each time is on record before it is given', async () => {
    const id = await filed('export');
    const [first, second] = [await take(tuff, id), await take(tuff, id)];
    expect(second.body).toEqual(first.body);
    const given = (await app.stream(`dsr-${id}`)).filter(({ type }) => type === 'DSR_EXPORTED');
    expect(given.map(({ data }) => [data['digest'], data['exported_by']])).toEqual(
      Array(2).fill([first.body.digest, 'user_tuff']),
    );
  });

  it('is for the person only: neither admin nor council nor others take it', async () => {
    const id = await filed('export');
    for (const by of [admin, eve, await app.caller('cora', ['council'], ELEVATED)]) {
      expect((await take(by, id)).body['error_code']).toBe('NOT_FOUND');
    }
    expect((await app.stream(`dsr-${id}`)).map(({ type }) => type)).toEqual(['DSR_REQUEST']);
  });

  it('tells what was said under a consent while that stands, and nothing of it once it is revoked', async () => {
    const zed = await app.caller('zed');
    const email = 'zebulon.quuxworthy@pennyfarthing-cycles.org';
    const grant = { pii_type: 'email', scope: 'persistent', consent_text: 'Keep where I can be reached.' };
    const { body: consent } = await zed.send<Body>('POST', '/consents', grant);
    await zed.send('PUT', '/sem/user/profile/user_zed/work_contact', { value: email });
    await zed.ask(`Is ${email} where I can be reached?`);
    await zed.ask('2 + 2');
    const id = await filed('export', 'zed');
    const saidIn = ({ body }: { readonly body: Exported }): unknown[] =>
      body.package.records.filter(({ type }) => type === 'JOB_ACCEPTED').map(({ data }) => data['query_text']);
    expect(saidIn(await take(zed, id))).toEqual([expect.stringContaining(email), '2 + 2']);
    expect((await zed.send('POST', `/consents/${String(consent['consent_id'])}/revoke`, {})).status).toBe(200);
    const after = await take(zed, id);
    expect(saidIn(after)).toEqual(['[revoked]', '2 + 2']);
    expect(JSON.stringify(after.body)).not.toContain(email);
  });

  it('needs no approval, and a deletion has none', async () => {
    const id = await filed('export');
    expect((await look(tuff, id)).body.status).toBe('ready');
    expect((await admin.send<Body>('POST', `/dsr/${id}/approve`, {})).body['error_code']).toBe('CONFLICT');
    expect((await take(tuff, await filed('delete'))).body['error_code']).toBe('CONFLICT');
  });
});

describe('an erased person', () => {
  let id: string;
  let erased: DsrView;
  let jobId: string;
  let kids: readonly string[];
  let before: readonly string[];
  let wrapped: readonly string[];

  beforeAll(async () => {
    app = await JobApp.open({ now: () => clock });
    await callers();
    await tuff.send('PUT', `/sem/${COLOR}`, { value: 'ultramarine', notes: 'zinfandel' });
    await eve.send('PUT', '/sem/user/profile/user_eve/favorite_color', { value: 'red' });
    jobId = (await tuff.ask('What is my favorite color?')).body.job_id;
    await tuff.send('POST', `/jobs/${jobId}/feedback`, { upvote: true, comment: 'quite zinfandel' });
    kids = (await app.parts.platform.subjectKeys.listFor('user_tuff')).map(kidOf);
    before = await app.texts();
    wrapped = (await app.parts.platform.subjectKeys.listFor('user_tuff')).map((record) =>
      record.state === 'present' ? record.key.wrapped : '',
    );
    expect(filesOf(app.folder).some((bytes) => bytes.includes(wrapped[0]!))).toBe(true);
    id = await filed('delete');
    expect((await admin.send('POST', `/dsr/${id}/approve`, {})).status).toBe(200);
    await until(async () => ((await look(admin, id)).body.keys_destroyed_at === null ? null : true));
  });
  afterAll(() => app.dispose({ erased: [jobId] }));

  it('is not certified while some process may still hold a key, and can store nothing until then', async () => {
    expect((await look(admin, id)).body).toMatchObject({ status: 'erasing', erased_at: null, deletion_manifest: null });
    const written = await tuff.send<Body>('PUT', '/sem/user/profile/user_tuff/pet', { value: 'dog' });
    expect(written.body['error_code']).toBe('CONFLICT');
    expect((await tuff.ask('What is 2 + 2?')).status).toBe(409);
    expect((await eve.send('PUT', '/sem/user/profile/user_eve/pet', { value: 'cat' })).status).toBe(200);
    clock += 31_000;
    erased = await reaches(id, 'erased');
  });

  it('has the events of the specification in the stream of the request, in order', async () => {
    expect((await app.stream(`dsr-${id}`)).map(({ type }) => type)).toEqual([
      'DSR_REQUEST',
      'DSR_DELETE_REQUEST',
      'DSR_APPROVED',
      'ERASURE_REQUESTED',
      'SUBJECT_KEYS_DESTROYED',
      'SUBJECT_ERASED',
    ]);
    const deletion = (await app.stream(`sem-${COLOR}`)).at(-1)!;
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
    const list = await app.parts.platform.artifacts.get(manifest!.events.list);
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
    expect((await tuff.get<Body>(`/sem/${COLOR}`)).body['error_code']).toBe('SEM_NOT_FOUND');
    const { body: history } = await tuff.get<Body>(`/sem/${COLOR}/history`);
    expect((history['items'] as Body[]).map(({ value }) => value)).toEqual(['[erased]', null]);
    const job = await tuff.get(`/jobs/${jobId}`);
    expect(job).toMatchObject({ status: 200, body: { final_answer: '[erased]', status: 'completed' } });
    const log = await tuff.get(`/jobs/${jobId}/log`);
    expect(log).toMatchObject({ status: 200, body: { final_answer: '[erased]', query_text_hash: '[erased]' } });
    expect(log.body.agent_outputs.map(({ text }) => text)).toEqual(['[erased]']);
    expect((log.body as unknown as Body)['user_feedback']).toMatchObject([{ comment: '[erased]' }]);
    const events = await tuff.get(`/jobs/${jobId}/events`);
    expect(events.body.items.find(({ type }) => type === 'JOB_ACCEPTED')?.data).toMatchObject({
      query_text: '[erased]',
    });
    expect((await tuff.get(`/jobs/${jobId}/explain`)).status).toBe(200);
    for (const path of [`/jobs/${jobId}`, `/jobs/${jobId}/log`, `/jobs/${jobId}/explain`, `/jobs/${jobId}/events`]) {
      expect([path, (await admin.get(path)).status]).toEqual([path, 200]);
    }
    expect(JSON.stringify([history, job, log, events])).not.toMatch(/ultramarine|zinfandel|\$erased/);
  });

  it('has jobs that still verify: what was erased is taken from the record and listed as erased', async () => {
    const operator = await app.caller('ole', ['operator']);
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
      'reflective log and final answer': 'erased',
    });
    expect(steps.every(({ verdict, checked }) => verdict !== 'failed' && checked > 0)).toBe(true);
  });

  it('is in no file of the data folder, in whichever form, and neither is a way to what was encrypted', () => {
    const files = filesOf(app.folder);
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
    expect((await eve.get<Body>('/sem/user/profile/user_eve/favorite_color')).body['value']).toBe('red');
  });

  it('who returns gets a new key, under which nothing old opens; the erased one is never made again', async () => {
    expect((await tuff.send('PUT', `/sem/${COLOR}`, { value: 'white' })).status).toBe(200);
    expect((await tuff.get<Body>(`/sem/${COLOR}`)).body['value']).toBe('white');
    const records = await app.parts.platform.subjectKeys.listFor('user_tuff');
    expect(records.filter((record) => kids.includes(kidOf(record))).map(({ state }) => state)).toEqual(
      kids.map(() => 'destroyed'),
    );
    expect(records.at(-1)!.state).toBe('present');
    expect((await tuff.get(`/jobs/${jobId}`)).body.final_answer).toBe('[erased]');
  });
});

describe('a legal hold', () => {
  beforeAll(async () => {
    app = await JobApp.open({ now: () => clock });
    await callers();
  });
  afterAll(() => app.dispose());

  it('is an elevated admin’s, on evidence by its name, once; its evidence stays and the rest of the person’s goes', async () => {
    const store = app.parts.app.nest.get(ForensicStore);
    const keep = (what: string) => store.keep({ event_type: 'POLICY_VIOLATION', user_id: 'user_tuff', what });
    const [held, free] = [await keep('zinfandel one'), await keep('zinfandel two')];
    const place = (by: Caller, body: Body) => by.send<Body>('POST', '/dsr/holds', body);
    const hold = { evidence_ref: held, reason: 'preservation order 12' };
    expect((await place(tuff, hold)).status).toBe(403);
    expect((await place(await app.caller('ada', ['admin']), hold)).status).toBe(401);
    expect((await place(admin, { ...hold, evidence_ref: 'x' })).body['error_code']).toBe('INVALID_INPUT');
    expect((await place(admin, { ...hold, reason: 'SSN 523-45-6789' })).body['error_code']).toBe('PRIVACY_BLOCKED');
    const placed = await place(admin, hold);
    expect(placed).toMatchObject({ status: 200, body: { ...hold, placed_by: 'user_ada' } });
    expect((await place(admin, { ...hold, reason: 'another' })).body).toEqual(placed.body);
    await tuff.send('PUT', `/sem/${COLOR}`, { value: 'blue' });
    const id = await filed('delete');
    await admin.send('POST', `/dsr/${id}/approve`, {});
    await until(async () => ((await look(admin, id)).body.keys_destroyed_at === null ? null : true));
    clock += 31_000;
    const { deletion_manifest: manifest } = await reaches(id, 'erased');
    expect(manifest!.forensic).toEqual([
      { evidence_ref: held, fate: 'kept', legal_hold: placed.body['hold_id'] },
      { evidence_ref: free, fate: 'purged', legal_hold: null },
    ]);
    const { artifacts } = app.parts.platform;
    expect([(await artifacts.get(held)) === null, await artifacts.get(free)]).toEqual([false, null]);
    expect((await app.stream(`forensic-${free}`)).map(({ type, data }) => [type, data['dsr_id']])).toEqual([
      ['FORENSIC_KEPT', undefined],
      ['FORENSIC_ERASED', id],
    ]);
    expect((await admin.get<Body>(`/audit/evidence/${free}`)).body).toMatchObject({ erased: true, missing: false });
    expect((await admin.get<Body>(`/audit/evidence/${held}`)).body).toMatchObject({ erased: false, missing: false });
  });
});

describe('a job that was under way', () => {
  const SEED = 'left-by-a-crash';
  const LEFT = jobIdOf(SEED);

  beforeAll(async () => {
    app = await JobApp.open({ now: () => clock });
    await callers();
  });
  let sealed: string;
  afterAll(() => app.dispose({ tampered: [LEFT], erased: [sealed] }));

  it('of a person who is erased is closed as failed, and nothing of what was asked is left', async () => {
    const { events } = app.parts.platform;
    const { body: whole } = await tuff.ask('What is my favorite color?');
    sealed = whole.meta['job_id'] as string;
    const [accepted, pinned] = await app.stream(`job-${sealed}`);
    const begun = { ...accepted!.data, job_id: LEFT, query_id: queryId(SEED), query_text: 'a question of zinfandel' };
    await events.append(
      { stream: `job-${LEFT}`, version: 0, lastHash: '0'.repeat(64) },
      [
        { type: 'JOB_ACCEPTED', data: begun },
        { type: 'SNAPSHOTS_PINNED', data: pinned!.data },
      ],
      { jobSeed: SEED, sequenceIndex: 0, actor: accepted!.metadata.actor, jobId: LEFT, traceId: traceId(SEED) },
    );
    const id = await filed('delete');
    await admin.send('POST', `/dsr/${id}/approve`, {});
    await until(async () => ((await look(admin, id)).body.keys_destroyed_at === null ? null : true));
    clock += 31_000;
    const { deletion_manifest: manifest } = await reaches(id, 'erased');
    expect(manifest!.jobs_closed).toEqual([LEFT]);
    const closed = await until(async () => {
      const { body } = await tuff.get(`/jobs/${LEFT}`);
      return body.status === 'running' ? null : body;
    });
    expect(closed).toMatchObject({ status: 'failed', replayable: false, final_answer: null });
    expect(await app.stream(`job-${LEFT}`)).toMatchObject([
      { type: 'JOB_ACCEPTED', data: { query_text: { $erased: true } } },
      { type: 'SNAPSHOTS_PINNED' },
      {
        type: 'REFLECTIVE_LOG_WRITTEN',
        data: { status: 'failed', missing_artifacts: ['input:query_text'] },
      },
      { type: 'JOB_SEALED' },
    ]);
    expect((await tuff.get(`/jobs/${LEFT}/log`)).status).toBe(200);
  });
});

describe('a value that waits for the council', () => {
  beforeAll(async () => {
    app = await JobApp.open({ now: () => clock });
    await callers();
  });
  afterAll(() => app.dispose());

  it('goes with its owner: its key, what that opened, and the manifest says so', async () => {
    const terms = { pii_type: 'us_ssn', scope: 'persistent', consent_text: 'Keep it.' };
    const waits = async (by: Caller, name: string): Promise<{ key: string; held: string }> => {
      expect((await by.send('POST', '/consents', terms)).status).toBe(200);
      const { body } = await by.send<Body>('PUT', `/sem/user/profile/${name}/ssn`, { value: '536-22-8145' });
      const [asked] = await app.stream(`actionrequest-${String(body['request_id'])}`);
      return { key: `held-${String(body['request_id'])}`, held: (asked!.data['payload'] as { held: string }).held };
    };
    const [gone, stays] = [await waits(tuff, 'user_tuff'), await waits(eve, 'user_eve')];
    const { subjectKeys, artifacts } = app.parts.platform;
    const isThere = async ({ key, held }: { key: string; held: string }) => [
      (await subjectKeys.listFor(key)).some(({ state }) => state === 'present'),
      (await artifacts.get(held)) !== null,
    ];
    expect([await isThere(gone), await isThere(stays)]).toEqual([
      [true, true],
      [true, true],
    ]);
    const id = await filed('delete');
    expect((await admin.send('POST', `/dsr/${id}/approve`, {})).status).toBe(200);
    await until(async () => ((await look(admin, id)).body.keys_destroyed_at === null ? null : true));
    clock += 31_000;
    const { deletion_manifest: manifest } = await reaches(id, 'erased');
    expect([await isThere(gone), await isThere(stays)]).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(manifest!.places).toContainEqual({
      kind: 'scratch',
      name: 'values that wait for the council',
      found: null,
      fate: 'purged',
    });
  });
});

describe('an erasure that ends with the process', () => {
  beforeAll(async () => {
    app = await JobApp.open({ now: () => clock });
    await callers();
  });
  afterAll(() => app.dispose());

  it('in its wait goes on at the next start', async () => {
    await tuff.send('PUT', `/sem/${COLOR}`, { value: 'blue' });
    const id = await filed('delete');
    await admin.send('POST', `/dsr/${id}/approve`, {});
    await until(async () => ((await look(admin, id)).body.keys_destroyed_at === null ? null : true));
    await app.whileClosed(() => {
      clock += 31_000;
    });
    await callers();
    await reaches(id, 'erased');
    expect((await app.stream(`dsr-${id}`)).filter(({ type }) => type === 'SUBJECT_ERASED')).toHaveLength(1);
    expect((await tuff.send('PUT', `/sem/${COLOR}`, { value: 'white' })).status).toBe(200);
  });
});
