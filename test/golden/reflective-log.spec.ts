import { join } from 'node:path';

import { canonicalize, type JsonObject } from '#lib/kernel';
import { fixtureKeyRing } from '#lib/access';
import type { IncidentRow, ListPage } from '#lib/incidents';
import type { VerificationView } from '#lib/integrity';
import type { Amendment, LogVerdict } from '#lib/jobs';
import { openDatabase } from '#lib/sqlite';

import { sha256, signatureOf } from '../../libs/event-store/src/testing/codec-support.js';
import { eventually } from '../support/eventually.js';
import { EVENTS_FILE, rowsOfType } from '../support/event-store-for-tests.js';
import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { tamper } from '../support/tampering.js';

const COLOR = 'user/profile/user_tuff/favorite_color';
/** Seed 001, ReflectiveLog A. */
const SEED_FIELDS = [
  'log_id',
  'created_at',
  'source',
  'query_id',
  'query_text_hash',
  'qcp_summary',
  'agents_invoked',
  'agent_outputs',
  'council_votes',
  'final_answer',
  'final_confidence',
  'repair_loops',
  'cache_hit',
  'sem_snapshot_hash',
  'runtime_metrics',
  'system_version',
  'signature',
];

let app: JobApp;
let tuff: Caller;
let eve: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  [tuff, eve] = [await app.caller('TUFF'), await app.caller('eve')];
  await tuff.send('PUT', `/sem/${COLOR}`, { value: 'blue', timestamp: '2025-11-29T12:00:00Z' });
});
afterAll(() =>
  app.dispose({ tampered: ['t23', 't23-walk', 't23-read'].map((seed) => `job:${sha256(`${seed}:job`).slice(0, 32)}`) }),
);

describe('T20_LOG_CREATE_READ, RL-T1', () => {
  it('T20_LOG_CREATE_READ: a log reads back with every immutable field, as the job’s events have it', async () => {
    const { job, log } = await made('t20', 'What is my favorite color?');
    expect(SEED_FIELDS.filter((field) => log[field as keyof AnyBody] === undefined)).toEqual([]);
    expect(log).toMatchObject({
      log_id: job.log_id,
      created_at: job.created_at,
      source: 'user_request',
      query_id: `q-${sha256('t20:query').slice(0, 32)}`,
      query_text_hash: sha256('What is my favorite color?'),
      qcp_summary: { depth_level: 0, intent_tags: ['profile', 'fact'], urgency: 'normal' },
      agents_invoked: ['profile_agent'],
      final_answer: 'Your favorite color is blue.',
      final_confidence: 1,
      repair_loops: 0,
      cache_hit: false,
      sem_snapshot_hash: sha256(`[["${COLOR}","blue","2025-11-29T12:00:00Z"]]`),
      job_id: job.job_id,
      job_seed: 't20',
      snapshots: job.snapshots,
      replayable: true,
      missing_artifacts: [],
      amendments: [],
      user_feedback: [],
    });
    expect(log.agent_outputs).toMatchObject([
      { agent_id: 'profile_agent', text: 'Your favorite color is blue.', confidence: 1, tokens: 7 },
    ]);
    expect(log.council_votes.map((vote) => [vote['council_agent_id'], vote['approve']])).toEqual([
      ['council_factuality_v1', true],
      ['council_coherence_v1', true],
      ['council_safety_v1', true],
    ]);
  });

  it('RL-T1: a log reads back the same each time, by its own path and by its job’s', async () => {
    const { job, log } = await made('rl-t1', '2+2');
    expect((await tuff.get(`/reflective-logs/${job.log_id}`)).body).toEqual(log);
    expect((await tuff.get(`/jobs/${job.job_id}/log`)).body).toEqual(log);
    expect(log).toMatchObject({ final_answer: '2 + 2 = 4.' });
  });

  it('is nobody else’s to read, and does not even show that it is there', async () => {
    const { job } = await made('private', '2+2');
    const answers = [
      await eve.get(`/reflective-logs/${job.log_id}`),
      await eve.get(`/jobs/${job.job_id}/log`),
      await eve.send('POST', `/reflective-logs/${job.log_id}/verify`, {}),
      await eve.send('POST', `/reflective-logs/${job.log_id}/amendments`, { effect: 'note', changes: {} }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });
});

describe('T21_LOG_IMMUTABLE_ENFORCE, RL-T2', () => {
  it.each(['T21_LOG_IMMUTABLE_ENFORCE', 'RL-T2'])(
    '%s: a change of an immutable field is refused, and nothing changes',
    async (name) => {
      const { job, log } = await made(name, '2+3');
      const path = `/reflective-logs/${job.log_id}`;
      const events = await app.jobTexts();
      const { status, body } = await tuff.send('PATCH', path, { final_answer: '6', signature: 'x' });
      expect(status).toBe(409);
      expect(body).toMatchObject({
        error_code: 'IMMUTABLE_FIELD',
        developer_message: 'ImmutableFieldError: Cannot modify final_answer, signature. Create an Amendment instead.',
      });
      expect((await tuff.get(path)).body).toEqual(log);
      expect(await app.jobTexts()).toEqual(events);
    },
  );

  it('is enforced below the application too: the file’s own rules refuse an update', async () => {
    const { job } = await made('t21-file', '2+4');
    const database = openDatabase(join(app.folder, EVENTS_FILE));
    try {
      const update = `UPDATE events SET text = replace(text, '6', '7') WHERE ${rowsOfType('REFLECTIVE_LOG_WRITTEN')}`;
      expect(() => database.exec(update)).toThrow('an event is never changed');
      expect(() => database.exec(`DELETE FROM events`)).toThrow('an event is never deleted');
    } finally {
      database.close();
    }
    expect((await tuff.get(`/reflective-logs/${job.log_id}`)).body.final_answer).toBe('2 + 4 = 6.');
  });
});

describe('T22_LOG_AMENDMENT, RL-T4', () => {
  it.each(['T22_LOG_AMENDMENT', 'RL-T4'])(
    '%s: an amendment stands beside the log, which stays as it is',
    async (name) => {
      const { job, log } = await made(name, '2+5');
      const path = `/reflective-logs/${job.log_id}/amendments`;
      const amendment = { effect: 'override_suggestion', changes: { final_answer: 'seven' } };
      const { status, body } = await tuff.send<Amendment>('POST', path, amendment);
      expect(status).toBe(200);
      expect(body).toMatchObject({ ...amendment, target_log_id: job.log_id, author: 'user_tuff' });
      const { body: amended } = await tuff.get(`/reflective-logs/${job.log_id}`);
      expect(amended).toEqual({ ...log, amendments: [body] });
      expect((await tuff.get<{ items: unknown[] }>(path)).body.items).toEqual([body]);
    },
  );

  it('keeps what the owner thinks of the answer beside it too', async () => {
    const { job, log } = await made('feedback', '2+6');
    const { status } = await tuff.send('POST', `/jobs/${job.job_id}/feedback`, { upvote: true, comment: 'good' });
    expect(status).toBe(200);
    const { body } = await tuff.get(`/reflective-logs/${job.log_id}`);
    expect(body.user_feedback).toMatchObject([{ upvote: true, comment: 'good', author: 'user_tuff' }]);
    expect({ ...body, user_feedback: [] }).toEqual(log);
  });
});

describe('RL-T3', () => {
  it('RL-T3: the signature covers the log, and another text does not pass', async () => {
    const { job, log } = await made('rl-t3', '3+3');
    const stream = `job-${job.job_id}`;
    const { events } = await app.parts.platform.eventStore.readStream(stream);
    const { text } = events.find(({ type }) => type === 'REFLECTIVE_LOG_WRITTEN')!;
    const { metadata, ...rest } = JSON.parse(text) as { metadata: JsonObject };
    const { signature, ...unsigned } = metadata;
    const { secret } = fixtureKeyRing().active('event-hmac');
    expect(signature).toBe(signatureOf(secret, stream, canonicalize({ ...rest, metadata: unsigned })));
    expect(log.signature).toBe(signature);
    const { body } = await tuff.send<LogVerdict>('POST', `/reflective-logs/${job.log_id}/verify`, {});
    expect(body).toEqual({ log_id: job.log_id, valid: true, reason: null, quarantined: false });
  });
});

describe('RL-T5', () => {
  it('RL-T5: a later change of memory leaves a log with what it was decided on', async () => {
    const key = 'user/profile/user_tuff/favorite_food';
    await tuff.send('PUT', `/sem/${key}`, { value: 'pizza', timestamp: '2025-11-29T12:00:00Z' });
    const { job, log } = await made('rl-t5', 'What is my favorite food?');
    await tuff.send('PUT', `/sem/${key}`, { value: 'pasta', timestamp: '2025-11-30T12:00:00Z' });
    const { log: later } = await made('rl-t5-later', 'What is my favorite food?');
    expect(later.final_answer).toBe('Your favorite food is pasta.');
    expect((await tuff.get(`/reflective-logs/${job.log_id}`)).body).toEqual(log);
    expect(log).toMatchObject({
      final_answer: 'Your favorite food is pizza.',
      sem_snapshot_hash: sha256(`[["${key}","pizza","2025-11-29T12:00:00Z"]]`),
    });
    expect(later.sem_snapshot_hash).not.toBe(log.sem_snapshot_hash);
  });
});

describe('T23_LOG_TAMPER_QUARANTINE', () => {
  it('T23_LOG_TAMPER_QUARANTINE: a log whose row was changed offline is flagged, quarantined, alerted and not read', async () => {
    const { job } = await made('t23', '3+4');
    const sound = await made('t23-sound', '3+5');
    await app.whileClosed(() =>
      tamper(app.folder, `job-${job.job_id}`, 'REFLECTIVE_LOG_WRITTEN', '"depth":1', '"depth":2'),
    );
    tuff = await app.caller('TUFF');
    const path = `/reflective-logs/${job.log_id}`;

    const { status, body } = await tuff.send<LogVerdict>('POST', `${path}/verify`, {});
    expect(status).toBe(200);
    expect(body).toEqual({
      log_id: job.log_id,
      valid: false,
      reason: 'its signature does not verify',
      quarantined: true,
    });
    for (const read of [path, `/jobs/${job.job_id}/log`]) {
      const refused = await tuff.get(read);
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({
        error_code: 'LOG_INVALID',
        severity: 'error',
        user_message: 'There was an internal integrity issue; request flagged for review.',
      });
    }
    const beside = await app.stream(`amendment-${job.log_id}`);
    expect(beside.map(({ type }) => type)).toEqual(['INTEGRITY_FAILURE']);
    await expectAlert(beside[0]!.metadata.event_id, `amendment-${job.log_id}`);
    const { status: other } = await tuff.get(`/reflective-logs/${sound.job.log_id}`);
    expect(other).toBe(200);
  });

  it('T23_LOG_TAMPER_QUARANTINE: the walk that verifies signatures finds it, and it is not read after', async () => {
    const { job } = await made('t23-walk', '3+7');
    await app.whileClosed(() =>
      tamper(app.folder, `job-${job.job_id}`, 'REFLECTIVE_LOG_WRITTEN', '"depth":1', '"depth":2'),
    );
    tuff = await app.caller('TUFF');
    const auditor = await app.caller('ada', ['auditor']);
    const { body } = await auditor.send<VerificationView>('POST', '/integrity/verify', {});
    const walked = await eventually(async () => {
      const { body: view } = await auditor.get<VerificationView>(`/integrity/verifications/${body.verification_id}`);
      return view.state === 'running' ? null : view;
    });
    expect(walked.sound).toBe(false);
    expect(walked.found).toContainEqual(
      expect.objectContaining({ detector: 'signature', stream: `job-${job.job_id}` }),
    );
    const quarantined = await app.stream(`amendment-${job.log_id}`);
    expect(quarantined.map(({ type }) => type)).toEqual(['INTEGRITY_FAILURE']);
    // The alert is of the finding itself, which the walk records for the whole log.
    const incidents = await eventually(async () => {
      const { body: listed } = await auditor.get<ListPage<IncidentRow>>('/incidents?status=open&severity=critical');
      const causes = await Promise.all(
        listed.items.map(({ cause }) => auditor.get<{ data: JsonObject }>(`/audit/event/${cause.event_id}`)),
      );
      const found = causes.filter((cause) => cause.body.data['stream'] === `job-${job.job_id}`);
      return found.length > 0 ? found : null;
    });
    expect(incidents).toHaveLength(1);
    const refused = await tuff.get(`/reflective-logs/${job.log_id}`);
    expect([refused.status, refused.body.error_code]).toEqual([400, 'LOG_INVALID']);
  });

  it('T23_LOG_TAMPER_QUARANTINE: reading is enough to find it, and it is refused for replay', async () => {
    const { job } = await made('t23-read', '3+6');
    await app.whileClosed(() =>
      tamper(app.folder, `job-${job.job_id}`, 'COUNCIL_VOTE', '"approve":true', '"approve":false'),
    );
    tuff = await app.caller('TUFF');
    const admin = await app.caller('ada', ['admin'], ['otp']);
    expect((await tuff.get(`/jobs/${job.job_id}/log`)).body.error_code).toBe('LOG_INVALID');
    expect((await app.stream(`amendment-${job.log_id}`)).map(({ type }) => type)).toEqual(['INTEGRITY_FAILURE']);
    const replay = await admin.send('POST', '/replay/request', { job_id: job.job_id });
    expect(replay.status).toBe(409);
    expect(replay.body).toMatchObject({ error_code: 'INTEGRITY_FAILURE', severity: 'critical' });
    expect(replay.body.meta['replay_id']).toMatch(/^rp-[0-9a-f]{32}$/);
  });
});

/** Asks as a job under a seed, and reads its log. */
async function made(job_seed: string, query: string): Promise<{ job: AnyBody; log: AnyBody }> {
  const { status, body } = await tuff.ask(query, { job_seed });
  expect([query, status]).toEqual([query, 200]);
  const { body: log } = await tuff.get(`/jobs/${body.job_id}/log`);
  return { job: body, log };
}

async function expectAlert(causeId: string, causeStream: string): Promise<void> {
  const incident_id = `inc-${sha256(`after:incidents:${causeId}:incident`).slice(0, 32)}`;
  const events = await eventually(async () => {
    const found = await app.stream(`incident-${incident_id}`);
    return found.length > 0 ? found : null;
  });
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    [
      'INCIDENT_CREATED',
      {
        incident_id,
        severity: 'critical',
        cause_event_id: causeId,
        cause_type: 'INTEGRITY_FAILURE',
        cause_stream: causeStream,
      },
    ],
    ['ADMIN_ALERT', { incident_id, severity: 'critical', cause_event_id: causeId }],
  ]);
}
