import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { filesBelow } from '../../../../test/support/live-folder.js';
import { tamper } from '../../../../test/support/tampering.js';

const COLOR = 'user/profile/user_tuff/favorite_color';
const SSN = '523-45-6789';
const EMAIL = 'rex.barker@gmail.com';

interface Verified {
  readonly error_code?: string;
  readonly valid: boolean;
  readonly quarantined: boolean;
}

let app: JobApp;
let tuff: Caller;
const tampered: string[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('tuff');
  await tuff.send('PUT', `/sem/${COLOR}`, { value: 'blue', timestamp: '2025-11-29T12:00:00Z' });
});
afterAll(() => app.dispose({ tampered }));

describe('personal data in what is written beside a log', () => {
  it('is redacted in every key and leaf, flagged in the same append, and stands in no stored byte', async () => {
    const { body: job } = await tuff.ask('2+2', { job_seed: 'beside' });
    const amended = await tuff.send('POST', `/reflective-logs/${job.log_id}/amendments`, {
      effect: 'note',
      changes: { said: [`my ssn is ${SSN}`, 7], [EMAIL]: { deep: EMAIL } },
    });
    expect(amended.status).toBe(200);
    const comment = `write to ${EMAIL}`;
    expect((await tuff.send('POST', `/jobs/${job.job_id}/feedback`, { upvote: true, comment })).status).toBe(200);

    const beside = await app.stream(`amendment-${job.log_id}`);
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    const flag = { pii_hash: hash, redaction_reason: 'PII_DETECTED' };
    const email = ['PII_FLAGGED', { ...flag, pii_type: 'email', category: expect.any(String) as string }];
    const [added, ...flags] = beside.slice(0, 4).map(({ type, data }) => [type, data] as const);
    expect(added).toEqual([
      'AMENDMENT_ADDED',
      expect.objectContaining({
        changes: { said: ['my ssn is [redacted:us_ssn]', 7], '[redacted:email]': { deep: '[redacted:email]' } },
      }),
    ]);
    expect(flags.map(([type, { pii_type }]) => [type, pii_type]).sort()).toEqual([
      ['PII_FLAGGED', 'email'],
      ['PII_FLAGGED', 'email'],
      ['PII_FLAGGED', 'us_ssn'],
    ]);
    expect(beside.slice(4).map(({ type, data }) => [type, data])).toEqual([
      ['FEEDBACK_GIVEN', expect.objectContaining({ comment: 'write to [redacted:email]' })],
      email,
    ]);
    expect(amended.body).toMatchObject({ changes: { '[redacted:email]': { deep: '[redacted:email]' } } });
    const stored = [...filesBelow(app.folder).map(({ bytes }) => bytes), Buffer.from(JSON.stringify(beside))];
    for (const raw of [SSN, EMAIL]) expect(stored.filter((bytes) => bytes.includes(raw))).toEqual([]);
  });
});

describe('amendments', () => {
  it('of another’s log are an admin’s with a second factor', async () => {
    const { body: job } = await tuff.ask('3+3', { job_seed: 'amended-by-another' });
    const amended = async (caller: Caller) =>
      (await caller.send('POST', `/reflective-logs/${job.log_id}/amendments`, { effect: 'note', changes: { a: 1 } }))
        .status;
    expect(await amended(await app.caller('ada', ['admin']))).toBe(401);
    expect(await app.stream(`amendment-${job.log_id}`)).toEqual([]);
    expect(await amended(await app.caller('ada', ['admin'], ['otp']))).toBe(200);
    expect(await amended(tuff)).toBe(200);
  });

  it('are listed a page at a time', async () => {
    const { body: job } = await tuff.ask('2+3', { job_seed: 'pages' });
    const path = `/reflective-logs/${job.log_id}/amendments`;
    for (const n of [1, 2, 3]) await tuff.send('POST', path, { effect: 'note', changes: { n } });
    type Listed = { items: { changes: { n: number } }[]; next_cursor: string | null };
    const { body: first } = await tuff.get<Listed>(`${path}?limit=2`);
    const { body: second } = await tuff.get<Listed>(`${path}?limit=2&cursor=${first.next_cursor}`);
    expect([first, second].map(({ items }) => items.map(({ changes }) => changes.n))).toEqual([[1, 2], [3]]);
    expect(second.next_cursor).toBeNull();
    expect((await tuff.get(`${path}?limit=201`)).status).toBe(400);
  });
});

describe('a check of a log', () => {
  it('is made at the revision that was read, which a quarantine moves, and the same request has its answer', async () => {
    const { body: job } = await tuff.ask('2+11', { job_seed: 'verified' });
    const path = `/reflective-logs/${job.log_id}`;
    const tag = String((await tuff.get(path)).headers['etag']);
    const verified = async (caller: Caller, tags: string, key: string) => {
      const headers = { 'if-match': tags, 'idempotency-key': key };
      const { status, body } = await caller.send<Verified>('POST', `${path}/verify`, {}, headers);
      return [status, body.error_code ?? [body.valid, body.quarantined]];
    };
    expect(await verified(tuff, '"999999"', 'v1')).toEqual([412, 'PRECONDITION_FAILED']);
    expect(await verified(tuff, `W/${tag}`, 'v2')).toEqual([412, 'PRECONDITION_FAILED']);
    expect(await verified(tuff, tag, 'v3')).toEqual([200, [true, false]]);

    const stream = `job-${job.job_id}`;
    await app.whileClosed(() => tamper(app.folder, stream, 'REFLECTIVE_LOG_WRITTEN', '"depth":1', '"depth":2'));
    const [owner, ada] = [await app.caller('tuff'), await app.caller('ada', ['admin'], ['otp'])];
    for (const key of ['v4', 'v4']) expect(await verified(owner, tag, key)).toEqual([200, [false, true]]);
    await app.whileClosed(() => tamper(app.folder, stream, 'REFLECTIVE_LOG_WRITTEN', '"depth":2', '"depth":1'));
    expect(await verified(ada, tag, 'v5')).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await app.stream(`amendment-${job.log_id}`)).map(({ type }) => type)).toEqual(['INTEGRITY_FAILURE']);
    const moved = `"${Number(tag.slice(1, -1)) + 1}"`;
    for (const key of ['v6', 'v6']) expect(await verified(ada, moved, key)).toEqual([200, [true, false]]);
    tuff = await app.caller('tuff');
    expect((await tuff.get(path)).status).toBe(200);
  });
});

describe('the log of somebody else’s job', () => {
  it('is shown to those who operate and audit without what was said', async () => {
    const { body: job } = await tuff.ask('What is my favorite color?', { job_seed: 'theirs' });
    await tuff.send('POST', `/reflective-logs/${job.log_id}/amendments`, { effect: 'note', changes: { is: 'blue' } });
    await tuff.send('POST', `/jobs/${job.job_id}/feedback`, { upvote: false, comment: 'not blue' });
    for (const role of ['operator', 'auditor'] as const) {
      const { status, body } = await (await app.caller('ola', [role])).get(`/jobs/${job.job_id}/log`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ log_id: job.log_id, final_answer: '[redacted]', agents_invoked: ['profile_agent'] });
      expect(JSON.stringify(body)).not.toMatch(/blue|favorite/);
    }
    expect((await (await app.caller('eve')).get(`/jobs/${job.job_id}/log`)).status).toBe(404);
    const ada = await app.caller('ada', ['admin'], ['otp']);
    expect((await ada.get(`/jobs/${job.job_id}/log`)).body.final_answer).toBe('[redacted]');
    const { body: whole } = await ada.get(`/jobs/${job.job_id}/log?unredacted=true`);
    expect(whole.final_answer).toBe('Your favorite color is blue.');
  });

  it('is refused a change that is none, in the form of the interface', async () => {
    const { body: job } = await tuff.ask('2+10');
    for (const change of ['null', '[]', '"x"', '7', '']) {
      const { status, body } = await tuff.send('PATCH', `/reflective-logs/${job.log_id}`, change);
      expect([change, status, body.error_code]).toEqual([change, 400, 'INVALID_INPUT']);
    }
  });

  it('that was tampered with is no stranger’s business either: they find nothing, and cause no event', async () => {
    const { body: job } = await tuff.ask('2+9', { job_seed: 'tampered' });
    tampered.push(job.job_id);
    await app.whileClosed(() =>
      tamper(app.folder, `job-${job.job_id}`, 'REFLECTIVE_LOG_WRITTEN', '"depth":1', '"depth":2'),
    );
    tuff = await app.caller('tuff');
    const eve = await app.caller('eve');
    const answers = [
      await eve.get(`/reflective-logs/${job.log_id}`),
      await eve.get(`/jobs/${job.job_id}/log`),
      await eve.send('PATCH', `/reflective-logs/${job.log_id}`, { final_answer: 'x' }),
      await eve.send('POST', `/reflective-logs/${job.log_id}/verify`, {}),
      await eve.send('POST', `/reflective-logs/${job.log_id}/amendments`, { effect: 'note', changes: {} }),
      await eve.send('POST', `/jobs/${job.job_id}/feedback`, { upvote: true }),
    ];
    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual(answers.map(() => [404, 'NOT_FOUND']));
    expect(await app.stream(`amendment-${job.log_id}`)).toEqual([]);
    expect((await tuff.get(`/jobs/${job.job_id}/log`)).body.error_code).toBe('LOG_INVALID');
    const events = await tuff.get(`/jobs/${job.job_id}/events`);
    expect([events.status, events.body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
  });
});
