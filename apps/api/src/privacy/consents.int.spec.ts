import type { ConsentView } from '#lib/privacy';

import { until } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { adoptPrivacy } from '../../../../test/support/policies.js';
import { type Body, expectNowhere, grant, keyOf, PHONE, put, SSN } from './testing/consent-house.js';

/** Consent over HTTP, on real files (spec/privacy.md, "What happens"). */

const MAIL = 'tuff.surname@mailbox.net';
const REFUSED = 'I can’t store or repeat that kind of sensitive personal information.';

let app: JobApp;
let tuff: Caller;
let eve: Caller;
let ada: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  [tuff, eve, ada] = await Promise.all([app.caller('tuff'), app.caller('eve'), app.caller('ada', ['admin'], ['otp'])]);
});
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
    await expectNowhere(app, PHONE);
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

  it('takes its keys out of the list of keys, and leaves the pages whole', async () => {
    const list = async (query: string) =>
      (await ada.get<{ items: string[]; next_cursor: string | null }>(`/sem?prefix=user/profile/user_lea/${query}`))
        .body;
    const lea = await app.caller('lea');
    const at = (name: string): string => `user/profile/user_lea/${name}`;
    const consent_id = await grant(lea, { pii_type: 'phone', scope: 'persistent' });
    for (const name of ['a', 'c', 'd']) expect((await put(lea, at(name), PHONE)).status).toBe(200);
    for (const name of ['b', 'e']) expect((await put(lea, at(name), 'none')).status).toBe(200);
    await until(async () => (await list('')).items.length === 5);
    await lea.send('POST', `/consents/${consent_id}/revoke`, {});
    expect((await list('')).items).toEqual([at('b'), at('e')]);
    const first = await list('&limit=1');
    expect(first.items).toEqual([at('b')]);
    const second = await list(`&limit=1&cursor=${encodeURIComponent(first.next_cursor!)}`);
    expect(second.items).toEqual([at('e')]);
    expect((await list('&limit=2')).items).toEqual([at('b'), at('e')]);
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

  it('named by Idempotency-Key is for one write, also where the key comes again on other paths at once', async () => {
    const ugo = await app.caller('ugo');
    const at = (name: string): string => `user/profile/user_ugo/${name}`;
    const consent_id = await grant(ugo, { pii_type: 'phone', scope: 'job', idempotency_key: 'one-1' });
    const raced = await Promise.all(['a', 'b', 'c', 'd'].map((name) => put(ugo, at(name), PHONE, 'one-1')));
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
    expect((await put(ugo, at('e'), PHONE, 'one-1')).body).toMatchObject({ error_code: 'PRIVACY_BLOCKED' });
    const stored = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => app.stream(`sem-${at(name)}`)));
    expect(stored.flat().map(({ data }) => data['consents'])).toEqual([[{ pii_type: 'phone', consent_id }]]);
    const uses = (await app.stream('consent-user_ugo')).filter(({ type }) => type === 'PII_CONSENT_USE');
    expect(uses.map(({ data }) => data)).toEqual([
      { consent_id, user_id: 'user_ugo', pii_type: 'phone', write_seed: stored.flat()[0]!.metadata.job_seed },
    ]);
  });

  it('that a write took is still that write’s when it comes again, after a refusal of its If-Match', async () => {
    const una = await app.caller('una');
    const at = '/sem/user/profile/user_una/phone';
    await grant(una, { pii_type: 'phone', scope: 'job', idempotency_key: 'again-1' });
    const headers = { 'idempotency-key': 'again-1' };
    const refused = await una.send('PUT', at, { value: PHONE }, { ...headers, 'if-match': '"7"' });
    expect(refused).toMatchObject({ status: 412, body: { error_code: 'PRECONDITION_FAILED' } });
    expect((await una.send('PUT', at, { value: PHONE }, headers)).status).toBe(200);
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
      await expectNowhere(app, SSN, JSON.stringify(body));
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
    await expectNowhere(app, PHONE);
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

describe('a consent that was given elsewhere', () => {
  const FORM = { pii_type: 'phone', document_ref: 'form-12', reason: 'signed at the counter' };
  const record = (by: Caller, user_id: string, more: Body = {}) =>
    by.send<Body>('POST', '/consents/record', { ...FORM, user_id, ...more });

  it('is recorded by nobody while the policy names no type for it', async () => {
    await (await app.caller('pam')).get('/consents');
    expect(await record(ada, 'pam')).toMatchObject({
      status: 403,
      body: {
        error_code: 'PERMISSION_DENIED',
        developer_message:
          'a consent to phone that was given elsewhere is not recorded here; by the privacy policy (consents_given_elsewhere) none is',
      },
    });
    expect(await app.stream('consent-user_pam')).toEqual([]);
  });

  it('is recorded by an elevated admin with who and by which document, and is the person’s to use and to take back', async () => {
    const pam = await app.caller('pam');
    await adoptPrivacy(app, { consents_given_elsewhere: ['phone'], consent_ttl_s: 3600 });
    expect((await put(pam, 'user/profile/user_pam/phone', PHONE)).status).toBe(403);
    expect((await record(await app.caller('bo', ['admin']), 'pam')).status).toBe(401);
    expect((await record(await app.caller('cy', ['council'], ['otp']), 'pam')).status).toBe(403);
    const { status, body } = await record(ada, 'Pam');
    expect([status, body]).toEqual([200, { consent_id: expect.stringMatching(/^[0-9a-f]{64}$/) as string }]);
    const [event, ...more] = await app.stream('consent-user_pam');
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'PII_CONSENT',
      data: { user_id: 'user_pam', scope: 'persistent', recorded_by: 'user_ada', document_ref: 'form-12' },
      metadata: { actor: { id: 'user_ada', role: 'admin' }, schema_version: 2 },
    });
    expect((await put(pam, 'user/profile/user_pam/phone', PHONE)).status).toBe(200);
    const { items } = (await pam.get<{ items: ConsentView[] }>('/consents')).body;
    expect(items).toMatchObject([
      { consent_text: FORM.reason, recorded_by: 'user_ada', document_ref: 'form-12', ttl_seconds: 3600 },
    ]);
    expect((await pam.send('POST', `/consents/${body['consent_id'] as string}/revoke`, {})).status).toBe(200);
    expect((await pam.get('/sem/user/profile/user_pam/phone')).status).toBe(400);
  });

  it('is none for a person who was erased: they come back themselves, or not at all', async () => {
    const gus = await app.caller('gus');
    await gus.send('PUT', '/sem/user/profile/user_gus/color', { value: 'blue' });
    const { subjectKeys, ciphers } = app.parts.platform;
    for (const one of await subjectKeys.listFor('user_gus'))
      if (one.state === 'present') await subjectKeys.destroy(one.key.kid);
    ciphers.forget('user_gus');
    expect(await record(ada, 'gus')).toMatchObject({
      status: 409,
      body: { developer_message: 'user_id: user_gus was erased and has not come back' },
    });
    expect((await subjectKeys.listFor('user_gus')).map(({ state }) => state)).not.toContain('present');
    await gus.send('PUT', '/sem/user/profile/user_gus/color', { value: 'green' });
    expect((await record(ada, 'gus')).status).toBe(200);
  });

  it('and one given here that names no time, are the same under the same key after the policy named another time', async () => {
    const key = { 'idempotency-key': 'a-time-of-before' };
    const body = { pii_type: 'phone', scope: 'persistent', consent_text: 'as long as you like' };
    const first = await tuff.send<Body>('POST', '/consents', body, key);
    await adoptPrivacy(app, { consent_ttl_s: 7200 });
    expect(await tuff.send<Body>('POST', '/consents', body, key)).toMatchObject({ status: 200, body: first.body });
    await adoptPrivacy(app, { consent_ttl_s: 3600 });
  });

  it.each([
    ['of a type that the policy does not name', 'tuff', { pii_type: 'email' }, 403, 'PERMISSION_DENIED'],
    ['of nobody', 'nobody_yet', {}, 404, 'NOT_FOUND'],
    ['whose reason holds personal data', 'tuff', { reason: `he said ${PHONE}` }, 403, 'PRIVACY_BLOCKED'],
    ['with a reference of another form', 'tuff', { document_ref: 'form 12' }, 400, 'INVALID_INPUT'],
  ])('is refused %s, and leaves nothing', async (_, user, more, status, error_code) => {
    const before = (await app.stream(`consent-user_${user}`)).length;
    expect(await record(ada, user, more)).toMatchObject({ status, body: { error_code } });
    expect((await app.stream(`consent-user_${user}`)).length).toBe(before);
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

async function revokeOthers(who: Caller, type: string, but: string): Promise<void> {
  const { items } = (await who.get<{ items: ConsentView[] }>('/consents?limit=200')).body;
  for (const { consent_id, pii_type, status } of items)
    if (pii_type === type && status === 'active' && consent_id !== but)
      await who.send('POST', `/consents/${consent_id}/revoke`, {});
}
