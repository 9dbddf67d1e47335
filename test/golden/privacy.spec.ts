import { fixtureKeyRing } from '#lib/access';
import { commandSeed, eventId, goldenMessage, hmacSha256Hex, sha256Hex } from '#lib/kernel';

import { type Caller, JobApp } from '../support/job-app.js';
import { filesBelow } from '../support/live-folder.js';

/** Seed 000, "Tests": privacy over HTTP, with the keys that everybody knows. */

type Body = Readonly<Record<string, unknown>>;

const SSN = '123-45-6789';
const PHONE = '+44 20 7946 0123';
const TEXT = 'I agree that MACE stores my phone number.';
const PII_KEY = fixtureKeyRing().active('pii-hmac').secret;
const KEY = 'user/profile/user_tuff/ssn';

let app: JobApp;
let tuff: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('tuff');
});
afterAll(() => app.dispose());

describe('F-PRIV-01', () => {
  it('F-PRIV-01: sem_put of a social security number without consent stores its hash and nothing else', async () => {
    const { status, body } = await tuff.send('PUT', `/sem/${KEY}`, { value: SSN }, { 'idempotency-key': 'f-priv-01' });
    const seed = commandSeed('user_tuff', 'PUT', `/sem/${KEY}`, 'f-priv-01');
    expect(seed).toBe('cmd:708726bfb714c58e57d2d8f7e86c4049');
    expect(status).toBe(403);
    expect(body).toMatchObject({
      error_code: 'PRIVACY_BLOCKED',
      status: 403,
      severity: 'warning',
      user_message: 'I can’t store or repeat that kind of sensitive personal information.',
      developer_message: 'the content holds us_ssn (high), and no consent covers it',
    });
    const flagged = (await app.stream('access-user_tuff')).find(({ type }) => type === 'PII_FLAGGED')!;
    expect(flagged.metadata).toMatchObject({ event_id: eventId(seed, 0, 'PII_FLAGGED'), job_seed: seed });
    expect(flagged.data).toMatchObject({
      pii_type: 'us_ssn',
      category: 'high',
      pii_hash: hmacSha256Hex(PII_KEY, SSN + seed),
      redaction_reason: 'PII_DETECTED',
    });
    expect([flagged.metadata.event_id, flagged.data['pii_hash']]).toEqual([
      '1d3052bc12f65c2c2ec21a6728f9093a0b89e9e703854ecf4f4078a9577b2acb',
      '958a51f5227788e47c423aff3741004219087becd5fe398312d660f83b60584b',
    ]);
    expect(await app.stream(`sem-${KEY}`)).toEqual([]);
    expect((await tuff.get(`/sem/${KEY}`)).body.error_code).toBe('SEM_NOT_FOUND');
    await expectNowhere(SSN);
  });
});

describe('F-PRIV-02', () => {
  it('F-PRIV-02: a PII_CONSENT in the log lets the same write through, encrypted under its owner’s key', async () => {
    const key = 'user/profile/user_tuff/phone';
    const write = () => tuff.send<Body>('PUT', `/sem/${key}`, { value: PHONE }, { 'idempotency-key': 'f-priv-02' });
    expect((await write()).status).toBe(403);

    const granted = await tuff.send<Body>(
      'POST',
      '/consents',
      { pii_type: 'phone', scope: 'job', idempotency_key: 'f-priv-02', consent_text: TEXT },
      { 'idempotency-key': 'grant-1' },
    );
    const seed = commandSeed('user_tuff', 'POST', '/consents', 'grant-1');
    const consent_id = sha256Hex(`user_tuff${seed}${TEXT}`);
    expect(granted).toMatchObject({ status: 200, body: { consent_id } });
    expect(consent_id).toBe('38c636657fbac2cde4aab2efe0cad8134d1cf9cbdd2fea82c2659c13752c5176');
    const [consent] = await app.stream('consent-user_tuff');
    expect(consent).toMatchObject({
      type: 'PII_CONSENT',
      metadata: { event_id: eventId(seed, 0, 'PII_CONSENT'), actor: { id: 'user_tuff', role: 'user' } },
      data: {
        consent_id,
        user_id: 'user_tuff',
        pii_type: 'phone',
        scope: 'job',
        consent_text: TEXT,
        idempotency_key: 'f-priv-02',
      },
    });
    expect(consent!.metadata.signature).toEqual(expect.any(String));

    const { status, body } = await write();
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true, applied: true } });
    const writeSeed = commandSeed('user_tuff', 'PUT', `/sem/${key}`, 'f-priv-02');
    expect(body['event_id']).toBe(eventId(writeSeed, 0, 'SEM_PUT'));
    const text = (await app.texts()).find((stored) => stored.includes('"type":"SEM_PUT"') && stored.includes(key))!;
    const { data } = JSON.parse(text) as { data: Record<string, Record<string, Record<string, string>>> };
    expect(data['value']!['$enc']!['kid']).toMatch(/^user_tuff\.1\.[0-9a-f]{8}$/);
    expect(data['consents']).toEqual([{ pii_type: 'phone', consent_id }]);
    expect((await tuff.get(`/sem/${key}`)).body).toMatchObject({ exists: true, value: PHONE });
    await expectNowhere(PHONE);
  });

  it('F-PRIV-02: a job asked under a consent of its job_seed is answered, and its consent_id follows from it', async () => {
    const terms = { pii_type: 'phone', scope: 'job', job_seed: 'f-priv-02', consent_text: TEXT };
    const { body: granted } = await tuff.send<Body>('POST', '/consents', terms);
    expect(granted).toEqual({ consent_id: sha256Hex(`user_tufff-priv-02${TEXT}`) });
    const { status, body } = await tuff.ask(`Remember that my phone number is ${PHONE}`, { job_seed: 'f-priv-02' });
    expect({ status, answer: body.final_answer }).toEqual({
      status: 200,
      answer: `I’ll remember that your phone is ${PHONE}.`,
    });
    await expectNowhere(PHONE);
  });
});

describe('T29_ERR_PRIVACY_BLOCKED', () => {
  it('T29_ERR_PRIVACY_BLOCKED: a job that would store a number is blocked before routing, with the message of the table', async () => {
    const { status, body } = await tuff.ask(`Remember that my SSN is ${SSN}`, { job_seed: 't29' });
    expect(status).toBe(403);
    expect(body).toMatchObject({
      error_code: 'PRIVACY_BLOCKED',
      user_message: goldenMessage('PRIVACY_BLOCKED'),
      developer_message: 'the query holds personal data: us_ssn',
    });
    const job_id = `job:${sha256Hex('t29:job').slice(0, 32)}`;
    expect(body.meta).toMatchObject({ job_id });
    const events = await app.stream(`job-${job_id}`);
    expect(events.map(({ type }) => type)).toEqual([
      'JOB_ACCEPTED',
      'SNAPSHOTS_PINNED',
      'PII_FLAGGED',
      'REFLECTIVE_LOG_WRITTEN',
      'JOB_SEALED',
    ]);
    expect(events[0]!.data).toMatchObject({ blocked: true, query_text: 'Remember that my SSN is [redacted:us_ssn]' });
    expect(events[2]!.data).toEqual({
      pii_type: 'us_ssn',
      category: 'high',
      pii_hash: 'e538c520f4b1b2cf47a25c9f2b990336d02b121fd9b885e2518817d392f82c34',
      redaction_reason: 'PII_DETECTED',
    });
    expect((await tuff.get(`/sem/${KEY}`)).body.error_code).toBe('SEM_NOT_FOUND');
    await expectNowhere(SSN);
  });
});

async function expectNowhere(secret: string): Promise<void> {
  for (const text of await app.texts()) expect(text).not.toContain(secret);
  for (const { bytes } of filesBelow(app.folder)) expect(bytes.includes(secret)).toBe(false);
}
