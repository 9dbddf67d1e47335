import { hmacSha256Hex } from '#lib/kernel';

import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { type Body, expectNowhere, grant, PHONE, SSN } from './testing/consent-house.js';

let app: JobApp;
let tuff: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('tuff');
});
afterAll(() => app.dispose());

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

  it('leaves each finding of a text that holds nothing else', async () => {
    const zoe = await app.caller('zoe');
    const { status, body } = await handle(zoe, { text: 'anna.li@uni.org, '.repeat(900) });
    expect([status, (body['findings'] as unknown[]).length]).toEqual([200, 900]);
    const flags = (await app.stream('access-user_zoe')).filter(({ type }) => type === 'PII_FLAGGED');
    expect(flags).toHaveLength(900);
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
    await expectNowhere(app, PHONE);
  });

  it('hashes under the seed that is named, and never under that of another’s job', async () => {
    const admin = await app.caller('ann', ['admin']);
    await tuff.ask('What is 2 + 2?', { job_seed: 'tuff-seed' });
    await admin.ask('What is 2 + 2?', { job_seed: 'tuff-asked', user_id: 'tuff' });
    const hashOf = async (who: Caller, job_seed: string) => {
      const { body } = await handle(who, { text, job_seed });
      const { body: event } = await admin.get<Body>(`/audit/event/${String(body['event_id'])}`);
      const { data, job_seed: drawn } = event as { data: Body; job_seed: string };
      return { hash: data['pii_hash'], drawn };
    };
    const key = app.parts.platform.ring.active('pii-hmac').secret;
    for (const seed of ['tuff-seed', 'tuff-asked', 'of-nobody-yet'])
      expect([seed, (await hashOf(tuff, seed)).hash]).toEqual([seed, hmacSha256Hex(key, PHONE, seed)]);
    for (const seed of ['tuff-seed', 'tuff-asked']) {
      const { hash, drawn } = await hashOf(admin, seed);
      expect([seed, hash]).toEqual([seed, hmacSha256Hex(key, PHONE, drawn)]);
    }
  });

  it('refuses a text over its length, and a job_seed that is personal', async () => {
    expect((await handle(tuff, { text: 'x'.repeat(16_000) })).status).toBe(200);
    expect(await handle(tuff, { text: 'x'.repeat(16_001) })).toMatchObject({ status: 400 });
    expect(await handle(tuff, { text: 'x', job_seed: SSN })).toMatchObject({ status: 403 });
  });
});
