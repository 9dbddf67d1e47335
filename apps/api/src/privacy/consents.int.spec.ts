import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { StoreUnavailableError } from '#lib/event-store';
import { CouncilHolds, type RequestView } from '#lib/governance';
import { SemWriter } from '#lib/memory';
import type { ConsentView } from '#lib/privacy';

import { type Caller, JobApp } from '../../../../test/support/job-app.js';

/** Consent over HTTP, on real files (spec/privacy.md, "What happens"). */

type Body = Readonly<Record<string, unknown>>;

const PHONE = '+44 20 7946 0123';
const MAIL = 'tuff.surname@mailbox.net';
const SSN = '536-22-8145';
const REFUSED = 'I can’t store or repeat that kind of sensitive personal information.';

let app: JobApp;
let tuff: Caller;
let eve: Caller;
let ada: Caller;
let council: readonly Caller[];
let drawn = 0;

beforeAll(async () => {
  app = await JobApp.open();
  [tuff, eve, ada] = await Promise.all([app.caller('tuff'), app.caller('eve'), app.caller('ada', ['admin'], ['otp'])]);
  council = await Promise.all(['anna', 'ben', 'cara'].map((who) => app.caller(who, ['council'], ['otp'])));
}, 60_000);
afterAll(() => app.dispose());

describe('a persistent consent', () => {
  it('lets values of its type be stored, encrypted, for their owner and an admin', async () => {
    const key = keyOf('phone');
    expect((await put(tuff, key, PHONE)).status).toBe(403);
    const consent_id = await grant(tuff, { pii_type: 'phone', scope: 'persistent' });
    expect((await put(tuff, key, PHONE)).body).toMatchObject({ success: true, applied: true });
    expect((await tuff.get(`/sem/${key}`)).body).toMatchObject({ exists: true, value: PHONE });
    expect((await ada.get(`/sem/${key}`)).body).toMatchObject({ value: PHONE });
    expect(await eve.get(`/sem/${key}`)).toMatchObject({ status: 403, body: { error_code: 'PERMISSION_DENIED' } });
    const [stored] = await app.stream(`sem-${key}`);
    expect(stored!.data['consents']).toEqual([{ pii_type: 'phone', consent_id }]);
    await expectNowhere(PHONE);
  });

  it('allows no other type, and no other person', async () => {
    await grant(tuff, { pii_type: 'phone', scope: 'persistent' });
    expect((await put(tuff, keyOf('mail'), MAIL)).body).toMatchObject({ error_code: 'PRIVACY_BLOCKED' });
    expect((await put(eve, 'user/profile/user_eve/phone', PHONE)).body).toMatchObject({
      error_code: 'PRIVACY_BLOCKED',
    });
    expect((await put(ada, 'world/person/tuff/phone', PHONE)).body).toMatchObject({ error_code: 'PRIVACY_BLOCKED' });
  });

  it('of a value in notes or meta is asked for as well', async () => {
    await grant(tuff, { pii_type: 'email', scope: 'persistent' });
    const at = `/sem/${keyOf('noted')}`;
    expect((await tuff.send('PUT', at, { value: 'x', notes: `reach me at ${MAIL}` })).status).toBe(200);
    expect((await tuff.send('PUT', at, { value: MAIL, meta: { ssn: SSN } })).status).toBe(403);
  });

  it('ends with its time: then nothing is stored under it and nothing of it is read', async () => {
    const clock = jest.spyOn(Date, 'now');
    try {
      const hal = await app.caller('hal');
      const key = 'user/profile/user_hal/phone';
      await grant(hal, { pii_type: 'phone', scope: 'persistent', ttl_seconds: 60 });
      expect((await put(hal, key, PHONE)).status).toBe(200);
      const later = Date.now() + 61_000;
      clock.mockImplementation(() => later);
      expect(await hal.get(`/sem/${key}`)).toMatchObject({ status: 400, body: { error_code: 'SEM_NOT_FOUND' } });
      expect((await put(hal, key, PHONE)).status).toBe(403);
      expect((await hal.get<{ items: ConsentView[] }>('/consents')).body.items[0]).toMatchObject({ status: 'expired' });
    } finally {
      clock.mockRestore();
    }
  });
});

describe('a revocation', () => {
  it('hides at once what was stored under the consent, from everybody, and for good', async () => {
    const key = keyOf('revoked');
    const consent_id = await grant(tuff, { pii_type: 'email', scope: 'persistent' });
    await revokeOthers(tuff, 'email', consent_id);
    const { body: written } = await put<Body>(tuff, key, MAIL);
    const { status, body } = await tuff.send<Body>('POST', `/consents/${consent_id}/revoke`, {});
    expect(status).toBe(200);
    expect(body).toMatchObject({ consent_id, pii_type: 'email', status: 'revoked' });

    const hidden = async () => {
      for (const who of [tuff, ada]) {
        expect(await who.get(`/sem/${key}`)).toMatchObject({ status: 400, body: { error_code: 'SEM_NOT_FOUND' } });
        expect((await who.get(`/sem/${key}?as_of=${written['position'] as string}`)).body).toMatchObject({
          value: '[revoked]',
        });
        const history = (await who.get<{ items: Body[] }>(`/sem/${key}/history`)).body.items;
        expect(history.map(({ value }) => value)).toContain('[revoked]');
        expect(JSON.stringify(history)).not.toContain(MAIL);
      }
    };
    await hidden();
    await grant(tuff, { pii_type: 'email', scope: 'persistent' });
    await hidden();
    expect((await put(tuff, key, MAIL)).status).toBe(200);
    expect((await tuff.get(`/sem/${key}`)).body).toMatchObject({ value: MAIL });
  });

  it('is one event however often it is asked for, and makes the same grant a conflict', async () => {
    const terms = { pii_type: 'ip_address', scope: 'persistent', consent_text: 'yes to my address', job_seed: 'rev-1' };
    const consent_id = await grant(tuff, terms);
    const events = async () =>
      (await app.stream('consent-user_tuff')).filter(({ data }) => data['consent_id'] === consent_id);
    for (let i = 0; i < 2; i++)
      expect((await tuff.send('POST', `/consents/${consent_id}/revoke`, {})).status).toBe(200);
    expect((await events()).map(({ type }) => type)).toEqual(['PII_CONSENT', 'PII_CONSENT_REVOKE']);
    expect(await tuff.send('POST', '/consents', terms)).toMatchObject({
      status: 409,
      body: { error_code: 'CONFLICT' },
    });
  });

  it('of another’s consent is as of one that is not there', async () => {
    const consent_id = await grant(tuff, { pii_type: 'phone', scope: 'persistent' });
    const nobodys = 'f'.repeat(64);
    const [other, none] = await Promise.all(
      [consent_id, nobodys].map((id) => eve.send('POST', `/consents/${id}/revoke`, {})),
    );
    expect([other!.status, none!.status]).toEqual([404, 404]);
    expect(other!.body.developer_message.replace(consent_id, nobodys)).toBe(none!.body.developer_message);
    expect((await eve.get('/consents')).body.items).toEqual([]);
  });
});

describe('a person who was erased', () => {
  it('is bound by no consent of before when they return, and gives a new one', async () => {
    const abe = await app.caller('abe');
    const key = 'user/profile/user_abe/phone';
    const terms = { pii_type: 'phone', scope: 'persistent', job_seed: 'abe-1', consent_text: 'I agree.' };
    await grant(abe, terms);
    expect((await put(abe, key, PHONE)).status).toBe(200);
    const { subjectKeys, ciphers } = app.parts.platform;
    for (const record of await subjectKeys.listFor('user_abe'))
      if (record.state === 'present') await subjectKeys.destroy(record.key.kid);
    ciphers.forget('user_abe');
    expect((await put(abe, key, PHONE)).status).toBe(403);
    const { items } = (await abe.get<{ items: ConsentView[] }>('/consents')).body;
    expect(items).toMatchObject([{ status: 'erased', consent_text: '[erased]' }]);
    expect(await abe.send('POST', '/consents', terms)).toMatchObject({ status: 409, body: { error_code: 'CONFLICT' } });
    await grant(abe, { ...terms, job_seed: 'abe-2' });
    expect((await put(abe, key, PHONE)).status).toBe(200);
  });
});

describe('a consent for one job', () => {
  it('lets a direct write through that carries its Idempotency-Key, and no other', async () => {
    const uma = await app.caller('uma');
    const key = 'user/profile/user_uma/phone';
    await grant(uma, { pii_type: 'phone', scope: 'job', idempotency_key: 'once-1' });
    expect((await put(uma, key, PHONE)).status).toBe(403);
    expect((await put(uma, key, PHONE, 'once-2')).status).toBe(403);
    const first = await put<Body>(uma, key, PHONE, 'once-1');
    expect(first.status).toBe(200);
    expect((await put(uma, key, PHONE, 'once-1')).body).toEqual(first.body);
    expect((await uma.get(`/sem/${key}`)).body).toMatchObject({ value: PHONE });
    const eves = await put(eve, 'user/profile/user_eve/phone', PHONE, 'once-1');
    expect(eves.status).toBe(403);
  });

  it.each([
    [{ scope: 'job' }],
    [{ scope: 'job', job_seed: 'a', idempotency_key: 'b' }],
    [{ scope: 'job', job_seed: 'a', ttl_seconds: 5 }],
    [{ scope: 'persistent', ttl_seconds: 0 }],
    [{ scope: 'persistent', ttl_seconds: 31_536_001 }],
    [{ scope: 'persistent', pii_type: 'shoe_size' }],
    [{ scope: 'job', job_seed: 'cmd:1' }],
  ])('is refused where its members do not go together: %j', async (terms) => {
    const { status, body } = await tuff.send('POST', '/consents', { pii_type: 'phone', consent_text: 'yes', ...terms });
    expect([status, body.error_code]).toEqual([400, 'INVALID_INPUT']);
  });

  it.each([{ consent_text: `you may store ${SSN}` }, { job_seed: SSN }, { idempotency_key: SSN }])(
    'is refused where it holds the value itself, which then is nowhere: %j',
    async (holding) => {
      const rest = 'idempotency_key' in holding ? {} : { job_seed: 'a-job' };
      const terms = { pii_type: 'us_ssn', scope: 'job', consent_text: 'yes', ...rest, ...holding };
      const { status, body } = await tuff.send('POST', '/consents', terms);
      expect([status, body.error_code]).toEqual([403, 'PRIVACY_BLOCKED']);
      await expectNowhere(SSN, JSON.stringify(body));
    },
  );

  it('lets the owner’s query of that job through, with its write and its answer, and replays', async () => {
    const ned = await app.caller('ned');
    const query = `Remember that my phone number is ${PHONE}`;
    const blocked = await ned.ask(query, { job_seed: 'ned-0' });
    expect(blocked).toMatchObject({ status: 403, body: { error_code: 'PRIVACY_BLOCKED', user_message: REFUSED } });
    const consent_id = await grant(ned, { pii_type: 'phone', scope: 'job', job_seed: 'ned-1' });
    const { status, body } = await ned.ask(query, { job_seed: 'ned-1' });
    expect({ status, error: body.error_code }).toEqual({ status: 200, error: undefined });
    const [accepted] = await app.stream(`job-${body.job_id}`);
    expect(accepted!.data).toMatchObject({ blocked: false, consent_ids: [consent_id] });
    expect((await ned.get('/sem/user/profile/user_ned/phone')).body).toMatchObject({ value: PHONE });

    const recalled = await ned.ask('What is my phone number?');
    expect(recalled.status).toBe(200);
    expect(recalled.body.final_answer).toContain(PHONE);
    expect((await ned.get(`/jobs/${recalled.body.job_id}`)).body.final_answer).toContain(PHONE);
    const others = await (await app.caller('otto', ['operator'])).get(`/jobs/${recalled.body.job_id}`);
    expect(JSON.stringify(others.body)).not.toContain(PHONE);
    expect((await ned.ask(query, { job_seed: 'ned-2' })).status).toBe(403);

    await ned.send('POST', `/consents/${consent_id}/revoke`, {});
    expect((await ned.get('/sem/user/profile/user_ned/phone')).status).toBe(400);
    const forgotten = await ned.ask('What is my phone number?');
    expect(JSON.stringify(forgotten.body)).not.toContain(PHONE);
    for (const job of [body.job_id, recalled.body.job_id]) {
      for (const part of ['', '/log', '/events', '/explain']) {
        const told = await ned.get(`/jobs/${job}${part}`);
        expect([told.status, JSON.stringify(told.body).includes(PHONE)]).toEqual([200, false]);
      }
    }
    const log = await ned.get(`/reflective-logs/${recalled.body.log_id}`);
    expect([log.status, JSON.stringify(log.body).includes(PHONE)]).toEqual([200, false]);
    const again = await ned.ask(query, { job_seed: 'ned-1' });
    expect([again.status, JSON.stringify(again.body).includes(PHONE)]).toEqual([200, false]);
    await expectNowhere(PHONE);
  });

  it('for a value of high sensitivity ends without it, and the council’s approval stores it all the same', async () => {
    const ivy = await app.caller('ivy');
    await grant(ivy, { pii_type: 'us_ssn', scope: 'job', job_seed: 'ivy-1' });
    const { status, body } = await ivy.ask(`Remember that my SSN is ${SSN}`, { job_seed: 'ivy-1' });
    expect([status, body.error_code]).toEqual([403, 'PRIVACY_BLOCKED']);
    expect(body.developer_message).toBe('the memory write failed: COUNCIL_PENDING');
    const { items } = (await council[0]!.get<{ items: RequestView[] }>('/actionrequest?limit=200')).body;
    const own = await Promise.all(items.map(({ request_id }) => requestOf(request_id)));
    const request = own.find(({ requested_by }) => requested_by === 'user_ivy')!;
    expect(request.payload).toMatchObject({ key: 'user/profile/user_ivy/ssn', pii_type: 'us_ssn' });
    await decide(request, 'approve');
    await ended(request.request_id, 'executed');
    expect((await ivy.get('/sem/user/profile/user_ivy/ssn')).body).toMatchObject({ value: SSN });
    await expectNowhere(SSN);
  });

  it('that ends between the question and the write stores nothing, and the job leaves PII_FLAGGED', async () => {
    const lea = await app.caller('lea');
    await grant(lea, { pii_type: 'phone', scope: 'job', job_seed: 'lea-1' });
    const { consents } = app.parts.platform;
    const asked = consents.covering.bind(consents);
    const covering = jest.spyOn(consents, 'covering').mockResolvedValue(null).mockImplementationOnce(asked);
    const { status, body } = await lea.ask(`Remember that my phone number is ${PHONE}`, { job_seed: 'lea-1' });
    covering.mockRestore();
    expect([status, body.error_code]).toEqual([403, 'PRIVACY_BLOCKED']);
    const events = await app.stream(`job-${body.meta['job_id'] as string}`);
    expect(events.map(({ type }) => type)).toContain('PII_FLAGGED');
    expect(events.find(({ type }) => type === 'PII_FLAGGED')!.data).toMatchObject({
      pii_type: 'phone',
      category: 'medium',
      redaction_reason: 'PII_DETECTED',
    });
    expect(await app.stream('sem-user/profile/user_lea/phone')).toEqual([]);
  });
});

describe('a value of high sensitivity', () => {
  it('waits for the council, which sees its type and a hash, and is written once when approved', async () => {
    const key = keyOf('ssn');
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { status, body, request } = await held(key, SSN);
    expect(status).toBe(202);
    expect(body).toEqual({ success: false, applied: false, pending: true, request_id: request.request_id, key });
    expect((await tuff.get(`/sem/${key}`)).status).toBe(400);
    expect(request).toMatchObject({ kind: 'memory_promote_request', required_approval_type: 'council_quorum' });
    expect(request.payload).toMatchObject({ key, pii_type: 'us_ssn', held: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(JSON.stringify(request)).not.toContain(SSN);
    await expectNowhere(SSN);

    await decide(request, 'approve');
    const { execution } = await ended(request.request_id, 'executed');
    expect(execution).toMatchObject({ result: { key, applied: true } });
    expect((await tuff.get(`/sem/${key}`)).body).toMatchObject({ value: SSN, source: 'user' });
    expect((await app.stream(`sem-${key}`)).length).toBe(1);
    await gone(request);
    await expectNowhere(SSN);
  });

  it.each(['approve', 'reject'] as const)(
    'answers the same request again as before, after the council has said %s',
    async (vote) => {
      const key = keyOf('again');
      await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
      const idempotencyKey = `again-${vote}`;
      const first = await put<Body>(tuff, key, SSN, idempotencyKey);
      const request = await requestOf(first.body['request_id'] as string);
      await decide(request, vote);
      await ended(request.request_id, vote === 'approve' ? 'executed' : 'rejected');
      expect(await put(tuff, key, SSN, idempotencyKey)).toMatchObject({ status: 202, body: first.body });
      expect(await put(tuff, key, 'another', idempotencyKey)).toMatchObject({
        status: 422,
        body: { error_code: 'IDEMPOTENCY_KEY_REUSED' },
      });
    },
  );

  it('is written once where the process ended between its writing and the record of it', async () => {
    const key = keyOf('twice');
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { request } = await held(key, SSN);
    const writer = app.parts.app.nest.get(SemWriter);
    const write = writer.put.bind(writer);
    const put = jest.spyOn(writer, 'put').mockImplementationOnce(async (asked) => {
      await write(asked);
      throw new StoreUnavailableError('the process ended here');
    });
    await decide(request, 'approve');
    await ended(request.request_id, 'executed');
    expect(put).toHaveBeenCalledTimes(2);
    put.mockRestore();
    expect((await app.stream(`sem-${key}`)).map(({ type }) => type)).toEqual(['SEM_PUT']);
    expect((await tuff.get(`/sem/${key}`)).body).toMatchObject({ value: SSN });
    await gone(request);
  });

  it('is destroyed when it is refused, and nothing is written', async () => {
    const key = keyOf('refused');
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { request } = await held(key, SSN);
    await decide(request, 'reject');
    await ended(request.request_id, 'rejected');
    await gone(request);
    expect(await app.stream(`sem-${key}`)).toEqual([]);
  });

  it('is not written where its consent was revoked meanwhile, and is destroyed', async () => {
    const zoe = await app.caller('zoe');
    const key = 'user/profile/user_zoe/ssn';
    const consent_id = await grant(zoe, { pii_type: 'us_ssn', scope: 'persistent' });
    const request = await requestOf((await put<Body>(zoe, key, SSN)).body['request_id'] as string);
    await zoe.send('POST', `/consents/${consent_id}/revoke`, {});
    await decide(request, 'approve');
    await until(async () => (await requestOf(request.request_id)).execution !== null);
    const { execution } = await requestOf(request.request_id);
    expect(execution).toMatchObject({ error_code: 'PRIVACY_BLOCKED' });
    await gone(request);
    expect(await app.stream(`sem-${key}`)).toEqual([]);
  });

  it('is not to be had by asking for somebody’s held value oneself', async () => {
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { request } = await held(keyOf('stolen'), SSN);
    const payload = { action: 'memory_promote_request', ...request.payload, key: 'user/profile/user_eve/stolen' };
    const forged = await (
      await app.caller('solver', ['agent'])
    ).send('POST', '/actionrequest/create', {
      kind: 'memory_promote_request',
      payload,
      justification: 'wanted',
    });
    expect([forged.status, forged.body.error_code]).toEqual([400, 'INVALID_INPUT']);
  });

  it('that a crash left without a request is destroyed at the next start, and one that waits is not', async () => {
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { request } = await held(keyOf('waiting'), SSN);
    const propose = jest.spyOn(app.parts.app.nest.get(CouncilHolds)['proposals'], 'propose');
    propose.mockRejectedValue(new Error('the process ended here'));
    expect((await put(tuff, keyOf('orphaned'), SSN)).status).toBe(500);
    propose.mockRestore();
    const before = await heldKeys();
    await app.whileClosed(() => undefined);
    await until(async () => (await heldKeys()).length < before.length);
    expect(await heldKeys()).toContain(request.request_id);
    await decide(request, 'approve');
    await ended(request.request_id, 'executed');
    await gone(request);
  });

  it('is destroyed when its time is over without a decision, also where no process was there to see it', async () => {
    await grant(tuff, { pii_type: 'us_ssn', scope: 'persistent' });
    const { request } = await held(keyOf('overdue'), SSN);
    const clock = jest.spyOn(Date, 'now');
    try {
      await app.whileClosed(() => void clock.mockReturnValue(Date.parse(request.due_at) + 1));
      await gone(request);
      const types = (await app.stream(`actionrequest-${request.request_id}`)).map(({ type }) => type);
      expect(types.at(-1)).toMatch(/^ACTION_(EXPIRED|REJECTED)$/);
    } finally {
      // What was opened at that time keeps its clock.
      await app.whileClosed(() => clock.mockRestore());
    }
    expect(await app.stream(`sem-${request.payload['key'] as string}`)).toEqual([]);
  });
});

describe('at the same time', () => {
  it('the same grant is recorded once', async () => {
    const kim = await app.caller('kim');
    const terms = { pii_type: 'phone', scope: 'persistent', consent_text: 'yes', job_seed: 'kim-1' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => kim.send<Body>('POST', '/consents', terms)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body['consent_id'] as string}`)).size).toBe(1);
    expect((await app.stream('consent-user_kim')).length).toBe(1);
  });

  it('a write and its grant end in one of two ways: stored under the consent, or refused', async () => {
    for (let round = 0; round < 5; round++) {
      const who = await app.caller(`racer${round}`);
      const key = `user/profile/user_racer${round}/phone`;
      const [, written] = await Promise.all([
        grant(who, { pii_type: 'phone', scope: 'persistent' }),
        put(who, key, PHONE),
      ]);
      const events = await app.stream(`sem-${key}`);
      expect([written.status, events.length]).toEqual(written.status === 200 ? [200, 1] : [403, 0]);
      if (events[0]) expect(events[0].data['consents']).toHaveLength(1);
    }
  });

  it('whatever two writes and a revocation do, nothing of the consent is read afterwards', async () => {
    for (let round = 0; round < 5; round++) {
      const who = await app.caller(`runner${round}`);
      const keys = ['a', 'b'].map((name) => `user/profile/user_runner${round}/${name}`);
      const consent_id = await grant(who, { pii_type: 'phone', scope: 'persistent' });
      await Promise.all([
        ...keys.map((key) => put(who, key, PHONE)),
        who.send('POST', `/consents/${consent_id}/revoke`, {}),
      ]);
      for (const key of keys) expect((await who.get(`/sem/${key}`)).status).toBe(400);
    }
  });
});

describe('POST /pii/detect_and_handle', () => {
  const text = `Call me at ${PHONE}.`;
  const handle = (who: Caller, body: Body) => who.send<Body>('POST', '/pii/detect_and_handle', body);

  it('redacts what is not to be stored, and leaves PII_FLAGGED', async () => {
    const vic = await app.caller('vic');
    const { status, body } = await handle(vic, { text });
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'redacted',
      redacted_text: 'Call me at [redacted:phone].',
      findings: [{ type: 'phone', category: 'medium', span: [11, 11 + PHONE.length] }],
      event_id: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    const [flagged] = await app.stream('access-user_vic');
    expect(flagged).toMatchObject({ type: 'PII_FLAGGED', metadata: { event_id: body['event_id'] } });
    expect((await handle(vic, { text, persist: true })).body).toMatchObject({ status: 'consent_required' });
  });

  it('allows what holds nothing, and what consents cover, unchanged', async () => {
    const wes = await app.caller('wes');
    const clean = 'My name is Wes, and water boils at 100 °C.';
    expect((await handle(wes, { text: clean, persist: true })).body).toMatchObject({
      status: 'allowed',
      redacted_text: clean,
    });
    await grant(wes, { pii_type: 'phone', scope: 'job', job_seed: 'wes-1' });
    expect((await handle(wes, { text, persist: true })).body['status']).toBe('consent_required');
    const { body } = await handle(wes, { text, persist: true, job_seed: 'wes-1' });
    expect(body).toMatchObject({ status: 'allowed', redacted_text: text });
    const trail = await app.stream('access-user_wes');
    expect(trail.find(({ metadata }) => metadata.event_id === body['event_id'])).toMatchObject({ type: 'PII_CHECKED' });
    await expectNowhere(PHONE);
  });

  it('refuses a text over its length, and a job_seed that is personal', async () => {
    expect((await handle(tuff, { text: 'x'.repeat(16_000) })).status).toBe(200);
    expect(await handle(tuff, { text: 'x'.repeat(16_001) })).toMatchObject({ status: 400 });
    expect(await handle(tuff, { text: 'x', job_seed: SSN })).toMatchObject({ status: 403 });
  });
});

function keyOf(name: string): string {
  return `user/profile/user_tuff/${name}_${drawn++}`;
}

async function grant(who: Caller, terms: Body): Promise<string> {
  const { status, body } = await who.send<Body>('POST', '/consents', {
    consent_text: `I agree (${drawn++}).`,
    ...terms,
  });
  expect({ status, body }).toEqual({ status: 200, body: { consent_id: expect.stringMatching(/^[0-9a-f]{64}$/) } });
  return body['consent_id'] as string;
}

async function revokeOthers(who: Caller, type: string, but: string): Promise<void> {
  const { items } = (await who.get<{ items: ConsentView[] }>('/consents?limit=200')).body;
  for (const { consent_id, pii_type, status } of items)
    if (pii_type === type && status === 'active' && consent_id !== but)
      await who.send('POST', `/consents/${consent_id}/revoke`, {});
}

function put<T = Body>(who: Caller, key: string, value: string, idempotencyKey?: string) {
  return who.send<T>('PUT', `/sem/${key}`, { value }, idempotencyKey ? { 'idempotency-key': idempotencyKey } : {});
}

async function held(key: string, value: string) {
  const { status, body } = await put<Body>(tuff, key, value);
  return { status, body, request: await requestOf(body['request_id'] as string) };
}

async function requestOf(id: string): Promise<RequestView> {
  return (await council[0]!.get<RequestView>(`/actionrequest/${id}`)).body;
}

async function decide({ request_id, proposal_digest }: RequestView, vote: 'approve' | 'reject'): Promise<void> {
  for (const member of council)
    await member.send('POST', `/actionrequest/${request_id}/vote`, { vote, proposal_digest });
}

async function ended(id: string, status: RequestView['status']): Promise<RequestView> {
  await until(async () => (await requestOf(id)).status === status);
  return requestOf(id);
}

/** Neither a key nor anything that it would open is left. */
async function gone({ request_id, payload }: RequestView): Promise<void> {
  const { artifacts } = app.parts.platform;
  await until(async () => !(await heldKeys()).includes(request_id));
  await until(async () => (await artifacts.get(payload['held'] as string)) === null);
}

async function heldKeys(): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of app.parts.app.nest.get(CouncilHolds)['values'].held()) ids.push(id);
  return ids;
}

async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await done()); tries++) {
    if (tries === 1000) throw new Error('it never came to be');
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}

/** Not in any file of the data folder, and in none of these texts. */
async function expectNowhere(secret: string, ...texts: readonly string[]): Promise<void> {
  for (const text of [...(await app.texts()), ...texts]) expect(text).not.toContain(secret);
  const files = readdirSync(app.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) expect(readFileSync(join(parentPath, name)).includes(secret)).toBe(false);
}
