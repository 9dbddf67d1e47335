import type { Amendment, AuditTag, GroundTruth, LogVerdict } from '#lib/jobs';

import { sha256 } from '../../../../libs/event-store/src/testing/codec-support.js';
import { eventually } from '../../../../test/support/eventually.js';
import { type AnyBody, type Caller, JobApp } from '../../../../test/support/job-app.js';
import { tamper } from '../../../../test/support/tampering.js';

interface Trust {
  readonly apt: number;
  readonly history: readonly {
    readonly event_id: string;
    readonly event_type: string;
    readonly apt_before: number;
    readonly apt_after: number;
  }[];
}

let app: JobApp;
let tuff: Caller;
let ada: Caller;
let cora: Caller;
let auditor: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  await begin();
});
afterAll(() => app.dispose({ tampered: [jobId('broken')] }));

describe('an amendment that asks to look again', () => {
  it('is followed by one replay of the job, which it names', async () => {
    const { job } = await made('look-again', '2+9');
    const path = `/reflective-logs/${job.log_id}/amendments`;
    const wish = { effect: 'revalidate', changes: { why: 'I doubt it' } };
    const { body } = await tuff.send<Amendment>('POST', path, wish, { 'idempotency-key': 'look-again' });
    expect(body).toMatchObject({ ...wish, replay_id: expect.stringMatching(/^rp-[0-9a-f]{32}$/) as string });
    const replay = await eventually(async () => {
      const found = await auditor.get<{ verdict: string }>(`/replay/${body.replay_id!}`);
      return found.status === 200 ? found.body : undefined;
    });
    expect(replay).toMatchObject({ job_id: job.job_id, mode: 'audit', verdict: 'MATCH', authoritative: true });
    await tuff.send('POST', path, wish, { 'idempotency-key': 'look-again' });
    expect((await app.stream(`replay-${body.replay_id!}`)).map(({ type }) => type)).toEqual([
      'REPLAY_REQUEST',
      'REPLAY_RESULT',
    ]);
    const { body: log } = await tuff.get(`/reflective-logs/${job.log_id}`);
    expect(log.amendments).toEqual([body]);
  });

  it('of another effect is followed by none', async () => {
    const { job } = await made('no-second-look', '2+8');
    const note = { effect: 'note', changes: { why: 'I wonder' } };
    const { body } = await tuff.send<Amendment>('POST', `/reflective-logs/${job.log_id}/amendments`, note);
    expect(body).not.toHaveProperty('replay_id');
  });
});

describe('a ground truth label', () => {
  it('stands beside the log, once a person, and moves the trust in the module that answered', async () => {
    const { job, log } = await made('label', '2+2');
    const path = `/reflective-logs/${job.log_id}`;
    const said = { correct: false, note: 'it is 5 in this game' };
    const { status, body } = await cora.send<GroundTruth>('POST', `${path}/ground_truth`, said);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...said,
      target_log_id: job.log_id,
      job_id: job.job_id,
      node_id: 'agent:math_v1',
      author: 'user_cora',
      author_role: 'council',
    });
    expect((await tuff.get(path)).body).toEqual({ ...log, ground_truth_label: [body] });

    const moved = await eventually(async () => {
      const { history } = (await auditor.get<Trust>('/apt/agent:math_v1')).body;
      return history.find(({ event_id }) => event_id === body.event_id);
    });
    expect(moved.event_type).toBe('GROUND_TRUTH_LABEL');
    expect(moved.apt_after).toBe(Math.round(moved.apt_before * 0.999 * 1e9) / 1e9);

    const again = await cora.send('POST', `${path}/ground_truth`, { correct: true });
    expect([again.status, again.body.error_code]).toEqual([409, 'CONFLICT']);
    const other = await ada.send<GroundTruth>('POST', `${path}/ground_truth`, { correct: true });
    expect(other.body).toMatchObject({ correct: true, author_role: 'admin' });
    expect((await tuff.get(path)).body.ground_truth_label).toEqual([body, other.body]);
  });

  it('is the same label for the same Idempotency-Key', async () => {
    const { job } = await made('label-once', '2+3');
    const path = `/reflective-logs/${job.log_id}/ground_truth`;
    const key = { 'idempotency-key': 'label-once' };
    const first = await cora.send<GroundTruth>('POST', path, { correct: true }, key);
    expect((await cora.send<GroundTruth>('POST', path, { correct: true }, key)).body).toEqual(first.body);
    expect((await cora.send('POST', path, { correct: false }, key)).status).toBe(422);
  });

  it('is for council and admin with a second factor, and for jobs with an answer', async () => {
    const { job } = await made('label-who', '2+4');
    const path = `/reflective-logs/${job.log_id}/ground_truth`;
    const bare = await app.caller('ada', ['admin']);
    const answers = [
      await tuff.send('POST', path, { correct: true }),
      await auditor.send('POST', path, { correct: true }),
      await bare.send('POST', path, { correct: true }),
      await cora.send('POST', path, { correct: 'yes' }),
      await cora.send('POST', path, { correct: true, note: 'x'.repeat(4001) }),
      await cora.send('POST', `/reflective-logs/${'0'.repeat(64)}/ground_truth`, { correct: true }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 401, 400, 400, 404]);
    const missed = await tuff.ask('What is my favorite band?', { job_seed: 'label-miss' });
    const log_id = missed.body.meta['log_id'] as string;
    const { status, body } = await cora.send('POST', `/reflective-logs/${log_id}/ground_truth`, { correct: true });
    expect([status, body.error_code]).toEqual([409, 'CONFLICT']);
  });

  it('holds no personal data of its note', async () => {
    const { job } = await made('label-pii', '2+5');
    const note = 'ask rex.barker@gmail.com';
    const { body } = await cora.send<GroundTruth>('POST', `/reflective-logs/${job.log_id}/ground_truth`, {
      correct: true,
      note,
    });
    expect(body.note).toBe('ask [redacted:email]');
    expect((await app.texts()).join('\n')).not.toContain('rex.barker');
  });
});

describe('an audit tag', () => {
  it('stands there once a person, whatever note comes with it', async () => {
    const { job } = await made('tag-twice', '3+5');
    const path = `/reflective-logs/${job.log_id}`;
    expect((await ada.send('POST', `${path}/audit_tags`, { tag: 'seen' })).status).toBe(200);
    const { status, body } = await ada.send('POST', `${path}/audit_tags`, { tag: 'seen', note: 'once more' });
    expect([status, body.developer_message]).toEqual([409, 'user_ada has tagged this log seen already']);
    expect((await tuff.get(path)).body.audit_tags).toHaveLength(1);
  });

  it('stands beside the log, as many as an admin likes, its note redacted for others', async () => {
    const { job, log } = await made('tag', '3+2');
    const path = `/reflective-logs/${job.log_id}`;
    const tags: AuditTag[] = [];
    for (const tag of ['sample-2026-q4', 'looked_at']) {
      const { status, body } = await ada.send<AuditTag>('POST', `${path}/audit_tags`, { tag, note: 'fine' });
      expect(status).toBe(200);
      tags.push(body);
    }
    expect(tags.map(({ tag, author }) => [tag, author])).toEqual([
      ['sample-2026-q4', 'user_ada'],
      ['looked_at', 'user_ada'],
    ]);
    expect((await tuff.get(path)).body).toEqual({ ...log, audit_tags: tags });
    const seen = await auditor.get(`/jobs/${job.job_id}/log`);
    expect(seen.body.audit_tags.map(({ tag, note }) => [tag, note])).toEqual([
      ['sample-2026-q4', '[redacted]'],
      ['looked_at', '[redacted]'],
    ]);
  });

  it.each(['', 'Has Spaces', '9lives', 'x'.repeat(65), 'a/b'])('%j is no tag', async (tag) => {
    const { job } = await made(`tag-${sha256(tag).slice(0, 8)}`, '3+3');
    const { status, body } = await ada.send('POST', `/reflective-logs/${job.log_id}/audit_tags`, { tag });
    expect([status, body.error_code]).toEqual([400, 'INVALID_INPUT']);
  });

  it('is an admin’s', async () => {
    const { job } = await made('tag-who', '3+4');
    const path = `/reflective-logs/${job.log_id}/audit_tags`;
    expect((await tuff.send('POST', path, { tag: 'mine' })).status).toBe(403);
    expect((await cora.send('POST', path, { tag: 'ours' })).status).toBe(403);
  });
});

describe('a person’s ruling', () => {
  it('is the job’s review, the newest of the highest authority, and changes its ETag', async () => {
    const { job } = await made('review', '4+2');
    const amendments = `/reflective-logs/${job.log_id}/amendments`;
    const before = await tuff.get(`/jobs/${job.job_id}`);
    expect(before.body).not.toHaveProperty('review');
    const rule = (who: Caller, final_answer: string) =>
      who.send<Amendment>('POST', amendments, { effect: 'override_suggestion', changes: { final_answer } });
    await tuff.send('POST', amendments, { effect: 'note', changes: { final_answer: 'no ruling' } });
    expect((await rule(tuff, 'six')).status).toBe(200);
    // The owner's own suggestion stands beside the log, and rules on nothing.
    expect((await tuff.get(`/jobs/${job.job_id}`)).body).toEqual(before.body);
    const admin = await rule(ada, 'VI');
    expect((await tuff.get(`/jobs/${job.job_id}`)).body).toEqual({
      ...before.body,
      review: {
        amendment_id: admin.body.amendment_id,
        author_role: 'admin',
        changes: { final_answer: 'VI' },
        at: admin.body.created_at,
      },
    });
    await rule(tuff, 'still six');
    const after = await tuff.get<AnyBody & { review: object }>(`/jobs/${job.job_id}`);
    expect(after.body.review).toMatchObject({
      amendment_id: admin.body.amendment_id,
      author_role: 'admin',
      changes: { final_answer: 'VI' },
    });
    expect([before.headers['etag'], after.headers['etag']]).toEqual(['"13"', '"17"']);
    const seen = await auditor.get<AnyBody & { review: object }>(`/jobs/${job.job_id}`);
    expect(seen.body.review).toMatchObject({ author_role: 'admin', changes: { $redacted: true } });
    expect(JSON.stringify(seen.body)).not.toContain('VI');
  });
});

describe('a quarantined log', () => {
  it('is read and replayed again after an admin’s check found it sound', async () => {
    const { job, log } = await made('mended', '5+2');
    const stream = `job-${job.job_id}`;
    const path = `/reflective-logs/${job.log_id}`;
    await changed(stream, '"depth":1', '"depth":2');
    const found = await tuff.send<LogVerdict>('POST', `${path}/verify`, {});
    expect(found.body).toMatchObject({ valid: false, quarantined: true });

    await changed(stream, '"depth":2', '"depth":1');
    // Sound again, and not yet trusted: neither its owner nor an admin without a second factor ends a quarantine.
    const owner = await tuff.send<LogVerdict>('POST', `${path}/verify`, {});
    expect(owner.body).toMatchObject({ valid: true, quarantined: true });
    const bare = await (await app.caller('ada', ['admin'])).send('POST', `${path}/verify`, {});
    expect(bare.status).toBe(401);
    expect((await tuff.get(path)).body.error_code).toBe('LOG_INVALID');
    const refused = await auditor.send('POST', '/replay/request', { job_id: job.job_id });
    expect([refused.status, refused.body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);

    const released = await ada.send<LogVerdict>('POST', `${path}/verify`, {});
    expect(released.body).toEqual({ log_id: job.log_id, valid: true, reason: null, quarantined: false });
    expect((await app.stream(`amendment-${job.log_id}`)).map(({ type, data }) => [type, data['version']])).toEqual([
      ['INTEGRITY_FAILURE', undefined],
      ['LOG_REVERIFIED', 13],
    ]);
    expect((await tuff.get(path)).body).toEqual(log);
    const replay = await auditor.send<{ verdict: string }>('POST', '/replay/request', { job_id: job.job_id });
    expect(replay.body.verdict).toBe('MATCH');
  });

  it('stays in quarantine where an admin’s check finds it broken still', async () => {
    const { job } = await made('broken', '5+3');
    await changed(`job-${job.job_id}`, '"depth":1', '"depth":2');
    for (const who of [tuff, ada]) {
      const { body } = await who.send<LogVerdict>('POST', `/reflective-logs/${job.log_id}/verify`, {});
      expect(body).toMatchObject({ valid: false, quarantined: true });
    }
    const beside = await app.stream(`amendment-${job.log_id}`);
    expect(beside.map(({ type }) => type)).toEqual(['INTEGRITY_FAILURE']);
  });
});

async function begin(): Promise<void> {
  [tuff, ada, cora, auditor] = await Promise.all([
    app.caller('tuff'),
    app.caller('ada', ['admin'], ['otp']),
    app.caller('cora', ['council'], ['otp']),
    app.caller('ann', ['auditor']),
  ]);
}

/** Asks as a job under a seed, and reads its log. */
async function made(job_seed: string, query: string): Promise<{ job: AnyBody; log: AnyBody }> {
  const { status, body } = await tuff.ask(query, { job_seed });
  expect([query, status]).toEqual([query, 200]);
  return { job: body, log: (await tuff.get(`/jobs/${body.job_id}/log`)).body };
}

async function changed(stream: string, from: string, to: string): Promise<void> {
  await app.whileClosed(() => tamper(app.folder, stream, 'REFLECTIVE_LOG_WRITTEN', from, to));
  await begin();
}

function jobId(seed: string): string {
  return `job:${sha256(`${seed}:job`).slice(0, 32)}`;
}
