import type { Exported } from '#lib/dsr';
import { canonicalize, type Json, sha256Hex } from '#lib/kernel';

import { eventually } from '../../../../test/support/eventually.js';
import { type Caller } from '../../../../test/support/job-app.js';
import { type Body, COLOR, DOCUMENT, DsrHouse, ELEVATED, file, look } from './testing/dsr-house.js';

let house: DsrHouse;

describe('a request', () => {
  beforeAll(async () => {
    house = await DsrHouse.open();
    await house.enrol();
  });
  afterAll(() => house.app.dispose());

  it('is filed by the person with their own one-time code, and the check of identity is on record', async () => {
    const code = house.otp();
    const form = { kind: 'export', user_id: 'Tuff', identity_proof: { otp: code } };
    const first = await file(house.tuff, form, 'dsr-1');
    expect(first).toMatchObject({ status: 200, body: { dsr_id: expect.any(String) } });
    // The same request again is the same answer although its code is used up.
    expect((await file(house.tuff, form, 'dsr-1')).body).toEqual(first.body);
    expect((await file(house.tuff, { ...form, kind: 'delete' }, 'dsr-1')).body['error_code']).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
    expect((await file(house.tuff, form)).body).toMatchObject({ error_code: 'UNAUTHENTICATED' });
    const [event, ...more] = await house.app.stream(`dsr-${first.body['dsr_id'] as string}`);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'DSR_REQUEST',
      data: { kind: 'export', user_id: 'user_tuff', requested_by: 'user_tuff', identity_method: 'otp' },
    });
    // Six digits in a row stand in many a hash.
    expect(JSON.stringify(await house.app.texts())).not.toMatch(new RegExp(`(?<![0-9a-f])${code}(?![0-9a-f])`));
  });

  it('for another is an elevated admin’s alone, by a document and a reason that only stays as long as the person', async () => {
    const proof = { kind: 'delete', user_id: 'tuff', identity_proof: DOCUMENT };
    expect((await file(house.eve, proof)).body['error_code']).toBe('PERMISSION_DENIED');
    expect((await file(await house.app.caller('ole', ['operator'], ELEVATED), proof)).status).toBe(403);
    const plain = await file(await house.app.caller('ada', ['admin']), proof);
    expect([plain.status, plain.headers['www-authenticate']]).toEqual([401, expect.stringContaining('max_age=300')]);
    const id = await house.filed('delete');
    const events = await house.app.stream(`dsr-${id}`);
    expect(events.map(({ type }) => type)).toEqual(['DSR_REQUEST', 'DSR_DELETE_REQUEST']);
    expect((await house.app.texts()).join('')).not.toContain(DOCUMENT.reason);
    expect((await look(house.admin, id)).body).toMatchObject({
      status: 'waiting_for_approval',
      document_ref: DOCUMENT.document_ref,
      reason: DOCUMENT.reason,
      requested_by: 'user_clara',
    });
  });

  it('by a one-time code is for oneself: nobody can use up another’s tries', async () => {
    for (const by of [house.eve, house.admin]) {
      const tried = await file(by, { kind: 'delete', user_id: 'tuff', identity_proof: { otp: '000000' } });
      expect(tried.body['error_code']).toBe('PERMISSION_DENIED');
    }
    expect((await house.app.stream('principal-user_tuff')).map(({ type }) => type)).not.toContain('OTP_REFUSED');
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
    const { body } = await file(house.admin, form);
    expect(body['error_code']).toBe(code);
    expect(JSON.stringify(body)).not.toContain('523-45');
  });

  it('is seen by the person, who filed it, admins and the council, and is not there for anybody else', async () => {
    const id = await house.filed('delete');
    const council = await house.app.caller('cora', ['council']);
    for (const by of [house.tuff, house.admin, council]) expect((await look(by, id)).status).toBe(200);
    const others = await look(house.eve, id);
    const none = await look(house.eve, `dr-${'0'.repeat(32)}`);
    expect([others.status, others.body['error_code']]).toEqual([404, 'NOT_FOUND']);
    expect(String(others.body['developer_message']).replace(id, '')).toBe(
      String(none.body['developer_message']).replace(`dr-${'0'.repeat(32)}`, ''),
    );
    expect((await look(await house.app.caller('ole', ['operator']), id)).status).toBe(404);
  });

  it('to delete does nothing before an admin or the council approves, once', async () => {
    const id = await house.filed('delete', 'eve');
    expect((await house.eve.send<Body>('PUT', '/sem/user/profile/user_eve/pet', { value: 'cat' })).status).toBe(200);
    expect((await house.eve.send('POST', `/dsr/${id}/approve`, {})).status).toBe(403);
    expect((await (await house.app.caller('cora', ['council'])).send('POST', `/dsr/${id}/approve`, {})).status).toBe(
      401,
    );
    expect((await house.admin.send<Body>('POST', `/dsr/${id}/approve`, { sure: true })).body['error_code']).toBe(
      'INVALID_INPUT',
    );
    expect((await house.admin.send('POST', `/dsr/dr-${'0'.repeat(32)}/approve`, {})).status).toBe(404);
    expect((await house.eve.get<Body>('/sem/user/profile/user_eve/pet')).body).toMatchObject({ value: 'cat' });
    expect((await house.clerk.send<Body>('POST', `/dsr/${id}/approve`, {})).body['error_code']).toBe(
      'PERMISSION_DENIED',
    );
    expect((await house.eve.get<Body>('/sem/user/profile/user_eve/pet')).body).toMatchObject({ value: 'cat' });
    const council = await house.app.caller('cora', ['council'], ELEVATED);
    const approved = await council.send<Body>('POST', `/dsr/${id}/approve`, {}, { 'idempotency-key': 'a-1' });
    expect(approved).toMatchObject({ status: 200, body: { approved_by: 'user_cora' } });
    expect((await council.send('POST', `/dsr/${id}/approve`, {}, { 'idempotency-key': 'a-1' })).status).toBe(200);
    expect((await house.admin.send<Body>('POST', `/dsr/${id}/approve`, {})).body).toMatchObject({
      error_code: 'CONFLICT',
      developer_message: `${id} was approved by user_cora`,
    });
    await house.keysDestroyed(id);
    house.pass(31_000);
    await house.reaches(id, 'erased');
  });

  it('stands in the queue until it is decided on, with its term; a person sees their own there', async () => {
    const council = await house.app.caller('cora', ['council']);
    for (const name of ['mira', 'noor']) {
      await (await house.app.caller(name)).send('PUT', `/sem/user/profile/user_${name}/pet`, { value: 'cat' });
    }
    const ids = [await house.filed('delete', 'mira'), await house.filed('delete', 'noor')];
    const listed = async (by: Caller, state = 'waiting_for_approval'): Promise<readonly Body[]> =>
      (await by.get<{ readonly items: readonly Body[] }>(`/dsr?state=${state}&limit=200`)).body.items;
    const waiting = await eventually(async () => {
      const rows = await listed(council);
      return ids.every((id) => rows.some(({ dsr_id }) => dsr_id === id)) ? rows : null;
    }, 'both in the queue');
    const positions = waiting.map(({ position }) => position as number);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    const row = waiting.find(({ dsr_id }) => dsr_id === ids[0])!;
    const { body: whole } = await look(council, ids[0]!);
    expect(row).toMatchObject({ user_id: 'user_mira', status: 'waiting_for_approval', due_at: whole.due_at });
    expect(Date.parse(whole.due_at!) - Date.parse(whole.requested_at)).toBe(30 * 86_400_000);
    expect(JSON.stringify(waiting)).not.toContain(DOCUMENT.reason);
    const mira = await house.app.caller('mira');
    expect((await listed(mira)).map(({ dsr_id }) => dsr_id)).toEqual([ids[0]]);
    expect((await house.admin.get<Body>('/dsr?state=gone')).body['error_code']).toBe('INVALID_INPUT');
    // Among the decisions to take, for who may take them.
    const decisions = async (by: Caller) => (await by.get<Body>('/actionrequest')).body['dsr_waiting'];
    expect([await decisions(council), await decisions(mira)]).toEqual([waiting.length, 0]);
  });

  it('is refused with a reason that the person reads, ends there, and can be filed again', async () => {
    const id = await house.filed('delete', 'mira');
    const mira = await house.app.caller('mira');
    const reason = 'your invoices are kept for ten years';
    const refuse = (by: Caller, why: string, key = 'r-1') =>
      by.send<Body>('POST', `/dsr/${id}/refuse`, { reason: why }, { 'idempotency-key': key });
    expect((await refuse(mira, reason)).status).toBe(403);
    expect((await refuse(await house.app.caller('cora', ['council']), reason)).status).toBe(401);
    expect((await refuse(house.admin, 'SSN 523-45-6789', 'r-0')).body['error_code']).toBe('PRIVACY_BLOCKED');
    const refused = await refuse(house.admin, reason);
    expect(refused).toMatchObject({ status: 200, body: { status: 'refused', refused_by: 'user_ada' } });
    expect((await refuse(house.admin, reason)).body).toEqual(refused.body);
    expect((await refuse(house.admin, reason, 'r-2')).body['error_code']).toBe('CONFLICT');
    expect((await look(mira, id)).body).toMatchObject({ status: 'refused', refusal_reason: reason });
    expect((await house.admin.send<Body>('POST', `/dsr/${id}/approve`, {})).body).toMatchObject({
      error_code: 'CONFLICT',
      developer_message: `${id} was refused by user_ada; another can be filed`,
    });
    expect((await house.app.stream(`dsr-${id}`)).map(({ type }) => type)).toEqual([
      'DSR_REQUEST',
      'DSR_DELETE_REQUEST',
      'DSR_REFUSED',
    ]);
    expect((await house.app.texts()).join('')).not.toContain(reason);
    expect(await house.filed('delete', 'mira')).not.toBe(id);
  });
});

describe('an export', () => {
  beforeAll(async () => {
    house = await DsrHouse.open();
    await house.tuff.send('PUT', `/sem/${COLOR}`, { value: 'blue', notes: 'as ever', meta: { locale: 'en' } });
    await house.tuff.send('PUT', `/sem/${COLOR}`, { value: 'green' });
    await house.eve.send('PUT', '/sem/user/profile/user_eve/favorite_color', { value: 'red' });
    await house.tuff.ask('What is my favorite color?');
    await house.eve.ask('What is my favorite color?');
  });
  afterAll(() => house.app.dispose());

  const take = (by: Caller, id: string) => by.get<Exported & Body>(`/dsr/${id}/export`);

  it('holds what the person said and was told up to the request, with its digest, and nothing of others', async () => {
    const id = await house.filed('export');
    await house.tuff.send('PUT', `/sem/${COLOR}`, { value: 'later' });
    const { status, body } = await take(house.tuff, id);
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
    const id = await house.filed('export');
    const [first, second] = [await take(house.tuff, id), await take(house.tuff, id)];
    expect(second.body).toEqual(first.body);
    const given = (await house.app.stream(`dsr-${id}`)).filter(({ type }) => type === 'DSR_EXPORTED');
    expect(given.map(({ data }) => [data['digest'], data['exported_by']])).toEqual(
      Array(2).fill([first.body.digest, 'user_tuff']),
    );
  });

  it('is for the person only: neither admin nor council nor others take it', async () => {
    const id = await house.filed('export');
    for (const by of [house.admin, house.eve, await house.app.caller('cora', ['council'], ELEVATED)]) {
      expect((await take(by, id)).body['error_code']).toBe('NOT_FOUND');
    }
    expect((await house.app.stream(`dsr-${id}`)).map(({ type }) => type)).toEqual(['DSR_REQUEST']);
  });

  it('tells what was said under a consent while that stands, and nothing of it once it is revoked', async () => {
    const zed = await house.app.caller('zed');
    const email = 'zebulon.quuxworthy@pennyfarthing-cycles.org';
    const grant = { pii_type: 'email', scope: 'persistent', consent_text: 'Keep where I can be reached.' };
    const { body: consent } = await zed.send<Body>('POST', '/consents', grant);
    await zed.send('PUT', '/sem/user/profile/user_zed/work_contact', { value: email });
    await zed.ask(`Is ${email} where I can be reached?`);
    await zed.ask('2 + 2');
    const id = await house.filed('export', 'zed');
    const saidIn = ({ body }: { readonly body: Exported }): unknown[] =>
      body.package.records.filter(({ type }) => type === 'JOB_ACCEPTED').map(({ data }) => data['query_text']);
    expect(saidIn(await take(zed, id))).toEqual([expect.stringContaining(email), '2 + 2']);
    expect((await zed.send('POST', `/consents/${String(consent['consent_id'])}/revoke`, {})).status).toBe(200);
    const after = await take(zed, id);
    expect(saidIn(after)).toEqual(['[revoked]', '2 + 2']);
    expect(JSON.stringify(after.body)).not.toContain(email);
  });

  it('needs no approval, and a deletion has none', async () => {
    const id = await house.filed('export');
    expect((await look(house.tuff, id)).body.status).toBe('ready');
    expect((await house.admin.send<Body>('POST', `/dsr/${id}/approve`, {})).body['error_code']).toBe('CONFLICT');
    expect((await take(house.tuff, await house.filed('delete'))).body['error_code']).toBe('CONFLICT');
  });
});
