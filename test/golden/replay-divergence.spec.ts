import { jobStream } from '#lib/jobs';
import { canonicalize, type JsonObject } from '#lib/kernel';
import type { ReplayResult } from '#lib/replay';

import { sha256 } from '../../libs/event-store/src/testing/codec-support.js';
import { type Answer, type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { PLAIN, ReplayHouse } from '../support/replay-house.js';
import { resign } from '../support/resigning.js';

/** Where a record and its rerun part, and who is shown what of it (seed 002 section 11). */

let house: ReplayHouse;
let app: JobApp;
let tuff: Caller;
let auditor: Caller;
let operator: Caller;
let tampered: string[];

beforeAll(async () => {
  house = await ReplayHouse.open();
  ({ app, tuff, auditor, operator, tampered } = house);
});
afterAll(() => house.dispose());

describe('REPLAY-05', () => {
  let job: AnyBody;
  let stopped: Answer<ReplayResult>;

  beforeAll(async () => {
    job = (await tuff.ask('6*7', { job_seed: 'another-way' })).body;
    tampered.push(job.job_id);
    await resign(app, jobStream(job.job_id), 'ROUTER_DECISION', { depth: 2, agent_id: 'profile_agent' });
    stopped = await house.replay(job.job_id, 'audit');
  });

  it('REPLAY-05: a router output that was changed and signed again is REPLAY_DIVERGENCE with the exact canonical diff', () => {
    const { status, body } = stopped;
    expect([status, body.verdict, body.error_code, body.divergences_total]).toEqual([
      200,
      'MISMATCH',
      'REPLAY_DIVERGENCE',
      1,
    ]);
    const { causes, recorded_event, computed_event, ...divergence } = body.divergence!;
    expect(canonicalize(divergence)).toBe(
      canonicalize({
        error_code: 'REPLAY_DIVERGENCE',
        stream: jobStream(job.job_id),
        event_number: 3,
        event_type: 'ROUTER_DECISION',
        pointer: '/data/agent_id',
        recorded: '"profile_agent"',
        computed: '"math_agent"',
        recorded_hash: sha256('"profile_agent"'),
        computed_hash: sha256('"math_agent"'),
        differences: [
          { pointer: '/data/agent_id', recorded: '"profile_agent"', computed: '"math_agent"' },
          { pointer: '/data/depth', recorded: '2', computed: '1' },
        ],
        differences_total: 2,
        fault: null,
      }),
    );
    expect(causes.recorded.map(({ event_number, event_type }) => [event_number, event_type])).toEqual([
      [3, 'ROUTER_DECISION'],
      [2, 'QCP_CLASSIFIED'],
      [1, 'SNAPSHOTS_PINNED'],
      [0, 'JOB_ACCEPTED'],
    ]);
    expect(causes.computed.slice(1)).toEqual(causes.recorded.slice(1));
    expect([causes.recorded[0]!.hash, causes.computed[0]!.hash]).toEqual([
      sha256(recorded_event!),
      sha256(computed_event!),
    ]);
    expect(body.steps.at(-1)).toMatchObject({ step: 'router decisions', verdict: 'failed', checked: 0 });
  });

  it('REPLAY-05: it is recorded, and told the same again by the next replay and by every mode', async () => {
    const recorded = await app.stream(`replay-${stopped.body.replay_id}`);
    expect(recorded.map(({ type }) => type)).toEqual(['REPLAY_REQUEST', 'REPLAY_DIVERGENCE', 'REPLAY_RESULT']);
    expect(recorded[1]!.data['divergence']).toEqual(stopped.body.divergence);
    expect((await auditor.get<ReplayResult>(`/replay/${stopped.body.replay_id}${PLAIN}`)).body).toEqual(stopped.body);
    for (const mode of ['audit', 'reexecute', 'production'] as const) {
      const { status, body } = await house.replay(job.job_id, mode);
      expect([status, body.divergence]).toEqual([200, stopped.body.divergence]);
    }
  });

  it('REPLAY-05: a final answer that was changed and signed again is RESULT_MISMATCH', async () => {
    const forged = await house.forge('forged-answer', ['REFLECTIVE_LOG_WRITTEN', { final_answer: '6 * 7 = 43.' }]);
    const { body } = await house.replay(forged, 'production');
    expect(body).toMatchObject({
      verdict: 'MISMATCH',
      error_code: 'RESULT_MISMATCH',
      divergence: { event_type: 'REFLECTIVE_LOG_WRITTEN', pointer: '/data/final_answer', recorded: '"6 * 7 = 43."' },
    });
    expect(body.steps.map(({ step, verdict }) => [step, verdict]).slice(-1)).toEqual([['final answer', 'failed']]);
  });

  it('REPLAY-05: trust in a snapshot that its module’s own events do not come to is a divergence in that snapshot', async () => {
    const own = await JobApp.open();
    const { body: trusted } = await (await own.caller('TUFF')).ask('6*7');
    // Of a module that the job did not ask: nothing is appended to its stream meanwhile.
    const [registered] = await own.stream('module-agent:creative_v1');
    const health = { ...(registered!.data['health'] as JsonObject), apt: 0.69 };
    await resign(own, 'module-agent:creative_v1', 'MODULE_REGISTERED', { health });
    const asking = await own.caller('ann', ['auditor']);
    const { status, body } = await asking.send<ReplayResult>('POST', '/replay/request', { job_id: trusted.job_id });
    expect([status, body.verdict, body.error_code]).toEqual([200, 'MISMATCH', 'REPLAY_DIVERGENCE']);
    expect(body.divergence).toMatchObject({
      stream: expect.stringMatching(/^snapshot-[0-9a-f]{64}$/) as unknown,
      event_number: 0,
      event_type: 'SNAPSHOT_CREATED',
      pointer: expect.stringMatching(/^\/data\/body\/modules\/\d+\/apt$/) as unknown,
      recorded: '0.7',
      computed: '0.69',
    });
    expect(body.steps.at(-1)).toMatchObject({ step: 'trust reductions', verdict: 'failed' });
    await own.dispose({ tampered: [trusted.job_id] });
  });

  it('REPLAY-05: what no engine can go on with is a difference, not a fault of ours', async () => {
    const forged = await house.forge('forged-votes', ['COUNCIL_DECISION', { unavailable_reasons: 7, votes: 'none' }]);
    const { status, body } = await house.replay(forged, 'audit');
    expect([status, body.verdict, body.divergence!.event_type]).toEqual([200, 'MISMATCH', 'COUNCIL_DECISION']);
  });

  it.each([
    ['event_refs', 7],
    ['agent_outputs', null],
    ['council_votes', [null]],
    ['notices', {}],
  ])(
    'REPLAY-05: a log whose %s is of a form that no job writes is an integrity failure, not a fault of ours',
    async (field, value) => {
      const forged = await house.forge(`forged-${field}`, ['REFLECTIVE_LOG_WRITTEN', { [field]: value }]);
      const { status, body } = await house.refusedReplay(forged, 'audit');
      expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    },
  );

  it('REPLAY-05: a seal that counts other events is an integrity failure before anything is computed', async () => {
    const forged = await house.forge('forged-seal', ['JOB_SEALED', { count: 11 }]);
    const { status, body } = await house.refusedReplay(forged, 'audit');
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
  });
});

describe('what a person said', () => {
  it('is redacted in a difference for all but its owner, and shown to an auditor who goes on record first', async () => {
    const forged = await house.forge('redacted', ['REFLECTIVE_LOG_WRITTEN', { final_answer: '6 * 7 = 43.' }]);
    const { status, body } = await operator.send<ReplayResult>('POST', '/replay/request', { job_id: forged });
    expect([status, body.error_code]).toEqual([200, 'RESULT_MISMATCH']);
    expect(body.divergence).toMatchObject({
      pointer: '/data/final_answer',
      recorded: '"[redacted]"',
      computed: '"[redacted]"',
      recorded_hash: null,
      computed_hash: null,
      differences: [{ pointer: '/data/final_answer', recorded: '"[redacted]"', computed: '"[redacted]"' }],
    });
    const text = JSON.stringify(body);
    for (const said of ['6 * 7', '6*7', sha256('6*7')]) expect(text).not.toContain(said);
    const hidden = body.divergence!.causes.recorded.filter(({ hash }) => hash === null);
    expect(hidden.map(({ event_type }) => event_type)).toEqual(
      expect.arrayContaining(['JOB_ACCEPTED', 'AGENT_OUTPUT', 'REFLECTIVE_LOG_WRITTEN']),
    );
    const denied = await operator.get(`/replay/${body.replay_id}${PLAIN}`);
    expect([denied.status, denied.body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
    const looked = await auditor.get<ReplayResult>(`/replay/${body.replay_id}${PLAIN}`);
    expect(looked.body.divergence).toMatchObject({ recorded: '"6 * 7 = 43."', computed: '"6 * 7 = 42."' });
    const [record] = (await app.stream('access-user_ann')).slice(-1);
    expect(record).toMatchObject({ type: 'admin_access_event', data: { resource: `job/${forged}` } });
  });

  it('is told by no place that differs only in what is nobody’s', async () => {
    const forged = await house.forge('half-redacted', ['ROUTER_DECISION', { depth: 2 }]);
    const { body } = await operator.send<ReplayResult>('POST', '/replay/request', { job_id: forged });
    expect(body.divergence).toMatchObject({ pointer: '/data/depth', recorded: '2', recorded_hash: sha256('2') });
    expect(JSON.stringify(body)).not.toContain(sha256('6*7'));
  });
});
