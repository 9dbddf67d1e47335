import type { AgentReply } from '#lib/agents';
import type { RequestView } from '#lib/governance';
import { snapshotStream } from '#lib/governance';
import { jobStream, World } from '#lib/jobs';
import { canonicalize, goldenMessage, type JsonObject } from '#lib/kernel';
import { ProjectionHost } from '#lib/projections';
import { type Divergence, ReplayClock, type ReplayResult } from '#lib/replay';

import { InstalledAgents } from '../../apps/api/src/jobs/agents.js';
import { sha256 } from '../../libs/event-store/src/testing/codec-support.js';
import { Sandbox, SandboxEndedError } from '../../libs/replay/src/sandbox/sandbox.js';
import { type Answer, type AnyBody, type Caller, JobApp } from '../support/job-app.js';
import { remove, resign } from '../support/resigning.js';
import { tamper } from '../support/tampering.js';

/** Replays as a reader of seed 002 section 11 looks for them. */

const REPLAYED = {
  verdict: 'MATCH',
  authoritative: true,
  divergence: null,
  further: [],
  divergences_total: 0,
  forced_by: null,
  error_code: null,
  status: 'done',
};
/** With what was said: that an auditor or admin looked is recorded. */
const PLAIN = '?unredacted=true';
const POEM = 'Rain, and the street is a river of lights.';
/** What a poet of another process said, as its agent records it. */
const SAID: AgentReply = {
  kind: 'answer',
  text: POEM,
  confidence: 0.7,
  reasoning_trace: ['asked poet-1 at poems.example:443'],
  evidence: [],
  memory_write: null,
};

let app: JobApp;
let tuff: Caller;
let auditor: Caller;
let operator: Caller;
const tampered: string[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('TUFF');
  auditor = await app.caller('ann', ['auditor']);
  operator = await app.caller('otto', ['operator']);
  app.parts.app.nest
    .get(InstalledAgents)
    .set('creative_agent', { agent_id: 'creative_agent', external: true, answer: () => Promise.resolve(SAID) });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => app.dispose({ tampered }));

describe('REPLAY-01', () => {
  it('REPLAY-01: a job under seed s1 with a persisted engine’s output replays in production mode to the stored answer', async () => {
    const { body: job } = await tuff.ask('Write a short poem about rain', {
      job_seed: 's1',
      persist_agent_outputs: true,
    });
    expect(job.final_answer).toBe(POEM);
    const before = await app.stream(jobStream(job.job_id));
    const asked = jest.spyOn(World.prototype, 'perform').mockRejectedValue(new Error('a replay asked the world'));
    const { status, body } = await replay(job.job_id, 'production');
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...REPLAYED, job_id: job.job_id, mode: 'production' });
    expect(asked).not.toHaveBeenCalled();
    expect(await app.stream(jobStream(job.job_id))).toEqual(before);
    expect((await auditor.get<ReplayResult>(`/replay/${body.replay_id}${PLAIN}`)).body).toEqual(body);
    const recorded = await app.stream(`replay-${body.replay_id}`);
    expect(recorded.map(({ type, metadata }) => [type, metadata.event_id])).toEqual([
      ['REPLAY_REQUEST', sha256(`replay:${body.replay_id}:0:REPLAY_REQUEST`)],
      ['REPLAY_RESULT', sha256(`replay:${body.replay_id}:1:REPLAY_RESULT`)],
    ]);
  });

  it('REPLAY-01: every step of it is told, with what it checked and what it took', async () => {
    await tuff.send('PUT', '/sem/user/profile/user_tuff/favorite_color', { value: 'blue' });
    const { body: job } = await tuff.ask('What is my favourite colour?');
    await covered();
    const { body } = await replay(job.job_id, 'production');
    const modules = app.parts.app.nest.get(InstalledAgents).size;
    expect(body.steps.map(({ step, verdict, checked }) => [step, verdict, checked])).toEqual([
      ['signatures and hash chain', 'ok', 13],
      ['seal', 'ok', 1],
      ['ids', 'ok', 17],
      ['log references', 'ok', 13],
      ['quarantine', 'ok', 1],
      ['snapshots', 'ok', 6],
      ['trust reductions', 'ok', modules],
      ['request and pinned snapshots', 'ok', 2],
      ['classification', 'ok', 1],
      ['router decisions', 'ok', 1],
      ['agent turns', 'ok', 2],
      ['council decisions', 'ok', 4],
      ['brainstate ticks', 'ok', 1],
      ['notices', 'ok', 0],
      ['final answer', 'ok', 1],
      ['reflective log and seal', 'ok', 2],
      ['merkle log', 'ok', 13],
    ]);
    for (const { cost_us } of body.steps) expect(Number.isInteger(cost_us) && cost_us >= 0).toBe(true);
  });

  it.each([
    ['a miss', 'What is my favorite band?', 400],
    ['a wish', 'Remember that my favorite band is Queen', 200],
    ['a sum', '12.5% of 80', 200],
    ['calculus', 'Integrate x^2 dx', 200],
    ['a claim', 'Verify that 12.5% of 80 is 10', 200],
    ['a world fact', "What is Ohm's law?", 200],
    ['nobody’s question', 'Do something weird and unknown', 400],
    ['an engine’s words', 'Write a short poem about rains', 200],
    ['no language engine', 'Plan my week', 503],
    ['personal data', 'My card is 4111 1111 1111 1111', 403],
    ['text of every script', 'What is my favorite  日本語 \u{1F600} ‮?', 400],
  ])('REPLAY-01: %s replays to MATCH in every mode', async (_, query, expected) => {
    const { status, body } = await tuff.ask(query);
    expect(status).toBe(expected);
    const id = body.job_id ?? (body.meta['job_id'] as string);
    for (const mode of ['audit', 'reexecute', 'production'] as const) {
      expect((await replay(id, mode)).body).toMatchObject({ ...REPLAYED, mode });
    }
  });

  it('is the same replay for the same Idempotency-Key, and 422 for another body', async () => {
    const { body: job } = await tuff.ask('7*6', { job_seed: 'same-replay' });
    const key = { 'idempotency-key': 'replay-once' };
    const first = await auditor.send<ReplayResult>('POST', '/replay/request', { job_id: job.job_id }, key);
    const second = await auditor.send<ReplayResult>('POST', '/replay/request', { job_id: job.job_id }, key);
    expect(second.body).toEqual(first.body);
    expect(await app.stream(`replay-${first.body.replay_id}`)).toHaveLength(2);
    const other = await auditor.send('POST', '/replay/request', { job_id: `job:${'0'.repeat(32)}` }, key);
    expect([other.status, other.body.error_code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('of a job that is not there says so, and is asked anew once it is', async () => {
    const job_id = `job:${sha256('later:job').slice(0, 32)}`;
    const key = { 'idempotency-key': 'too-early' };
    const early = await auditor.send('POST', '/replay/request', { job_id }, key);
    expect([early.status, early.body.error_code]).toEqual([404, 'NOT_FOUND']);
    await tuff.ask('1+1', { job_seed: 'later' });
    const { body } = await auditor.send<ReplayResult>('POST', '/replay/request', { job_id }, key);
    expect(body).toMatchObject(REPLAYED);
  });

  it('is for operators and auditors, not for users', async () => {
    const { status, body } = await tuff.send('POST', '/replay/request', { job_id: `job:${'0'.repeat(32)}` });
    expect([status, body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
  });

  it.each([
    ['job:x'],
    [`job:${'A'.repeat(32)}`],
    [` job:${'0'.repeat(32)}`],
    [`job:${'0'.repeat(32)}\n`],
    ['0'.repeat(32)],
  ])('takes no text but a job’s id: %j is refused with the form, asked for or listed', async (job_id) => {
    const form = '^job:[0-9a-f]{32}$';
    const asked = await auditor.send('POST', '/replay/request', { job_id });
    const listed = await auditor.get(`/replay?job_id=${encodeURIComponent(job_id)}`);
    for (const { status, body } of [asked, listed]) {
      expect([status, body.error_code]).toEqual([400, 'INVALID_INPUT']);
      expect(body.developer_message).toMatch(/^(?:body|query)\.job_id: /);
      expect(body.developer_message).toContain(form);
    }
  });
});

describe('REPLAY-02', () => {
  it('REPLAY-02: a job one of whose snapshots was removed is MISSING_SNAPSHOT in every mode, whatever else is wrong', async () => {
    const own = await JobApp.open();
    const { body: job } = await (await own.caller('TUFF')).ask('6*7');
    const asking = await own.caller('ann', ['auditor']);
    const missing = async (kind: string): Promise<void> => {
      for (const mode of ['audit', 'reexecute', 'production']) {
        const { status, body } = await asking.send('POST', '/replay/request', { job_id: job.job_id, mode });
        expect([status, body.error_code, body.user_message]).toEqual([
          409,
          'MISSING_SNAPSHOT',
          goldenMessage('MISSING_SNAPSHOT'),
        ]);
        expect(body.developer_message).toBe(`snapshot ${job.snapshots[kind]} is not stored`);
        expect(body.meta['replay_id']).toMatch(/^rp-[0-9a-f]{32}$/);
      }
    };
    remove(own.folder, snapshotStream(job.snapshots['selfrep']!));
    await missing('selfrep');
    remove(own.folder, snapshotStream(job.snapshots['router']!));
    await missing('router');
    tamper(own.folder, jobStream(job.job_id), 'ROUTER_DECISION', '"depth":1', '"depth":2');
    await missing('router');
    await own.dispose({ tampered: [job.job_id] });
  });
});

describe('REPLAY-03', () => {
  it('REPLAY-03: a job whose snapshot had a byte flipped is INTEGRITY_FAILURE, and the snapshot is halted', async () => {
    const own = await JobApp.open();
    const { body: job } = await (await own.caller('TUFF')).ask('6*7');
    const asking = await own.caller('ann', ['auditor']);
    tamper(own.folder, snapshotStream(job.snapshots['router']!), 'SNAPSHOT_CREATED', '"top_n":10', '"top_n":11');
    for (const mode of ['audit', 'reexecute', 'production']) {
      const { status, body } = await asking.send('POST', '/replay/request', { job_id: job.job_id, mode });
      expect([status, body.error_code, body.user_message]).toEqual([
        409,
        'INTEGRITY_FAILURE',
        goldenMessage('INTEGRITY_FAILURE'),
      ]);
    }
    const next = await (await own.caller('TUFF')).ask('6*8');
    expect([next.status, next.body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    await own.dispose({ tampered: [job.job_id] });
  });

  it('REPLAY-03: so is one whose own record had a byte flipped', async () => {
    const { body: job } = await tuff.ask('6*7', { job_seed: 'flipped' });
    tampered.push(job.job_id);
    tamper(app.folder, jobStream(job.job_id), 'ROUTER_DECISION', '"depth":1', '"depth":2');
    const { status, body } = await refusedReplay(job.job_id, 'production');
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    expect(body.developer_message).toBe(`stream ${jobStream(job.job_id)}, revision 3: its signature does not verify`);
  });
});

describe('REPLAY-04', () => {
  it('REPLAY-04: a job whose engine’s output was removed is MISSING_PERSISTED_AGENT_OUTPUT, and nobody is asked instead', async () => {
    const { body: job } = await tuff.ask('Write a short poem about rain', { job_seed: 'unkept' });
    tampered.push(job.job_id);
    const output = (await app.stream(jobStream(job.job_id))).find(({ type }) => type === 'AGENT_OUTPUT')!;
    remove(app.folder, jobStream(job.job_id), 'AGENT_OUTPUT');
    const asked = jest.spyOn(World.prototype, 'perform').mockRejectedValue(new Error('a replay asked the world'));
    for (const mode of ['production', 'audit', 'reexecute'] as const) {
      const { status, body } = await refusedReplay(job.job_id, mode);
      expect([status, body.error_code, body.user_message]).toEqual([
        409,
        'MISSING_PERSISTED_AGENT_OUTPUT',
        goldenMessage('MISSING_PERSISTED_AGENT_OUTPUT'),
      ]);
      expect(body.developer_message).toBe(
        `agent output ${output.metadata.event_id}, which the log names, is not stored`,
      );
    }
    expect(asked).not.toHaveBeenCalled();
  });

  it('REPLAY-04: an output that is there and is another one is INTEGRITY_FAILURE', async () => {
    const forged = await forge('forged-output', ['AGENT_OUTPUT', { text: '6 * 7 = 43.' }]);
    const { status, body } = await refusedReplay(forged, 'production');
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    expect(body.developer_message).toBe(`event ${sha256('forged-output:5:AGENT_OUTPUT')} is not what it refers to`);
  });
});

describe('REPLAY-05', () => {
  let job: AnyBody;
  let stopped: Answer<ReplayResult>;

  beforeAll(async () => {
    job = (await tuff.ask('6*7', { job_seed: 'another-way' })).body;
    tampered.push(job.job_id);
    await resign(app, jobStream(job.job_id), 'ROUTER_DECISION', { depth: 2, agent_id: 'profile_agent' });
    stopped = await replay(job.job_id, 'audit');
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
      const { status, body } = await replay(job.job_id, mode);
      expect([status, body.divergence]).toEqual([200, stopped.body.divergence]);
    }
  });

  it('REPLAY-05: a final answer that was changed and signed again is RESULT_MISMATCH', async () => {
    const forged = await forge('forged-answer', ['REFLECTIVE_LOG_WRITTEN', { final_answer: '6 * 7 = 43.' }]);
    const { body } = await replay(forged, 'production');
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
    const forged = await forge('forged-votes', ['COUNCIL_DECISION', { unavailable_reasons: 7, votes: 'none' }]);
    const { status, body } = await replay(forged, 'audit');
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
      const forged = await forge(`forged-${field}`, ['REFLECTIVE_LOG_WRITTEN', { [field]: value }]);
      const { status, body } = await refusedReplay(forged, 'audit');
      expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
    },
  );

  it('REPLAY-05: a seal that counts other events is an integrity failure before anything is computed', async () => {
    const forged = await forge('forged-seal', ['JOB_SEALED', { count: 11 }]);
    const { status, body } = await refusedReplay(forged, 'audit');
    expect([status, body.error_code]).toEqual([409, 'INTEGRITY_FAILURE']);
  });
});

describe('REPLAY-06', () => {
  let replayId: string;
  let first: Divergence;
  let request: string;
  let admin: Caller;

  beforeAll(async () => {
    const { body } = await replay(await forge('forced', ['ROUTER_DECISION', { depth: 2 }]), 'audit');
    [replayId, first] = [body.replay_id, body.divergence!];
    admin = await app.caller('ada', ['admin'], ['otp']);
  });

  it('REPLAY-06: going on is for an elevated admin alone', async () => {
    for (const caller of [tuff, auditor, operator]) {
      const { status, body } = await force(caller);
      expect([status, body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
    }
    const { status, body } = await force(await app.caller('ada', ['admin']));
    expect([status, body.error_code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('REPLAY-06: without the council it is FORCE_CONTINUE_REQUIRED, and files one request for exactly this difference', async () => {
    const refused = await Promise.all([force(admin), force(admin)]);
    for (const { status, body } of [...refused, await force(admin)]) {
      expect([status, body.error_code, body.user_message]).toEqual([
        409,
        'FORCE_CONTINUE_REQUIRED',
        goldenMessage('FORCE_CONTINUE_REQUIRED'),
      ]);
      expect(body.meta['replay_id']).toBe(replayId);
      request = body.meta['action_request_id'] as string;
      expect(request).toBe(refused[0].body.meta['action_request_id']);
    }
    const [, divergence, result] = await app.stream(`replay-${replayId}`);
    expect((await read(request)).proposal!.payload).toMatchObject({
      action: 'force_continue',
      replay_id: replayId,
      event_number: 3,
      event_type: 'ROUTER_DECISION',
      divergence_digest: result!.metadata.prev_hash,
    });
    expect(divergence!.type).toBe('REPLAY_DIVERGENCE');
    expect(await app.stream(`actionrequest-${request}`)).toHaveLength(1);
  });

  it('REPLAY-06: nobody asks for it in other words', async () => {
    const { payload } = (await read(request)).proposal!;
    const body = { kind: 'force_continue', payload, justification: 'let me' };
    const { status, body: answer } = await admin.send('POST', '/actionrequest/create', body);
    expect([status, answer.error_code]).toEqual([400, 'INVALID_INPUT']);
  });

  it('REPLAY-06: an emergency does not stand in for the council', async () => {
    expect(await overridden(request)).toEqual(['409 CONFLICT', '409 CONFLICT']);
    const { status, body } = await force(admin);
    expect([status, body.error_code]).toEqual([409, 'FORCE_CONTINUE_REQUIRED']);
    expect(await app.stream(`actionrequest-${request}`)).toHaveLength(1);
  });

  it('REPLAY-06: with the council’s approval it goes on to the end, every difference told, and is no proof', async () => {
    await vote(request, ['anna', 'ben', 'cara']);
    const { status, body } = await force<ReplayResult>(admin);
    expect(status).toBe(200);
    expect(body).toMatchObject({ verdict: 'MISMATCH', authoritative: false, forced_by: request, divergence: first });
    // The council decided on depth 2; what was recorded after it was decided on depth 1.
    expect(body.divergences_total).toBe(1);
    expect(body.steps.map(({ step, verdict }) => `${step}: ${verdict}`).slice(-8)).toEqual([
      'classification: ok',
      'router decisions: failed',
      'agent turns: ok',
      'council decisions: ok',
      'brainstate ticks: ok',
      'notices: ok',
      'final answer: ok',
      'reflective log and seal: ok',
    ]);
    const recorded = await app.stream(`replay-${replayId}`);
    expect(recorded.map(({ type }) => type)).toEqual([
      'REPLAY_REQUEST',
      'REPLAY_DIVERGENCE',
      'REPLAY_RESULT',
      'FORCE_CONTINUE',
      'REPLAY_RESULT',
    ]);
    expect(recorded[3]!.data).toMatchObject({
      actor_id: 'user_ada',
      action_request_id: request,
      approvals: ['user_anna', 'user_ben', 'user_cara'],
      divergence_digest: recorded[2]!.metadata.prev_hash,
    });
    expect((await force<ReplayResult>(admin)).body).toEqual(body);
    expect((await auditor.get<ReplayResult>(`/replay/${replayId}${PLAIN}`)).body).toEqual(body);
    expect(await app.stream(`replay-${replayId}`)).toHaveLength(5);
  });

  it('REPLAY-06: every further difference is told, in order', async () => {
    const forged = await forge(
      'forged-twice',
      ['ROUTER_DECISION', { depth: 2 }],
      ['BRAINSTATE_TICK', { brainstate_id: 'bs:other' }],
    );
    const { body: stop } = await replay(forged, 'audit');
    const { body: asked } = await force(admin, stop.replay_id);
    await vote(asked.meta['action_request_id'] as string, ['anna', 'ben', 'cara']);
    const { body } = await force<ReplayResult>(admin, stop.replay_id);
    expect([body.divergence!.event_type, ...body.further.map(({ event_type }) => event_type)]).toEqual([
      'ROUTER_DECISION',
      'BRAINSTATE_TICK',
    ]);
    expect([body.divergence, body.divergences_total]).toEqual([stop.divergence, 2]);
  });

  it('REPLAY-06: another difference than the one approved stops it there, on record, and is put before the council anew', async () => {
    const forged = await forge('forged-anew', ['ROUTER_DECISION', { depth: 2 }]);
    const { body: stop } = await replay(forged, 'audit');
    const approved = (await force(admin, stop.replay_id)).body.meta['action_request_id'] as string;
    await vote(approved, ['anna', 'ben', 'cara']);
    await resign(app, jobStream(forged), 'ROUTER_DECISION', { depth: 1 });
    await resign(app, jobStream(forged), 'BRAINSTATE_TICK', { brainstate_id: 'bs:other' });
    const { status, body } = await force(admin, stop.replay_id);
    expect([status, body.error_code]).toEqual([409, 'FORCE_CONTINUE_REQUIRED']);
    expect(body.developer_message).toContain('(BRAINSTATE_TICK)');
    const anew = body.meta['action_request_id'] as string;
    expect(anew).not.toBe(approved);
    const recorded = await app.stream(`replay-${stop.replay_id}`);
    expect(recorded.map(({ type }) => type)).toEqual([
      'REPLAY_REQUEST',
      'REPLAY_DIVERGENCE',
      'REPLAY_RESULT',
      'REPLAY_DIVERGENCE',
      'REPLAY_RESULT',
    ]);
    const told = (await auditor.get<ReplayResult>(`/replay/${stop.replay_id}${PLAIN}`)).body;
    expect(told).toMatchObject({
      verdict: 'MISMATCH',
      forced_by: null,
      divergences_total: 1,
      divergence: { event_type: 'BRAINSTATE_TICK', pointer: '/data/brainstate_id' },
    });
    expect((await force(admin, stop.replay_id)).body.meta['action_request_id']).toBe(anew);
    expect(await app.stream(`replay-${stop.replay_id}`)).toHaveLength(5);

    await vote(anew, ['anna', 'ben', 'cara']);
    const { body: forced } = await force<ReplayResult>(admin, stop.replay_id);
    expect(forced).toMatchObject({ authoritative: false, forced_by: anew, divergence: told.divergence });
    expect((await auditor.get<ReplayResult>(`/replay/${stop.replay_id}${PLAIN}`)).body).toEqual(forced);
  });

  it('REPLAY-06: a record that was put back leaves nothing to go on past, and no FORCE_CONTINUE', async () => {
    const forged = await forge('put-back', ['ROUTER_DECISION', { depth: 2 }]);
    const { body: stop } = await replay(forged, 'audit');
    await vote((await force(admin, stop.replay_id)).body.meta['action_request_id'] as string, ['anna', 'ben', 'cara']);
    await resign(app, jobStream(forged), 'ROUTER_DECISION', { depth: 1 });
    tampered.splice(tampered.indexOf(forged), 1);
    const { status, body } = await force(admin, stop.replay_id);
    expect([status, body.error_code]).toEqual([409, 'CONFLICT']);
    expect(await app.stream(`replay-${stop.replay_id}`)).toHaveLength(3);
    expect((await auditor.get<ReplayResult>(`/replay/${stop.replay_id}${PLAIN}`)).body).toEqual(stop);
  });

  it('REPLAY-06: a replay that stopped at no difference has nothing to go on past', async () => {
    const { body: job } = await tuff.ask('6*7', { job_seed: 'sound' });
    const { body } = await replay(job.job_id, 'audit');
    const answer = await force(admin, body.replay_id);
    expect([answer.status, answer.body.error_code]).toEqual([409, 'CONFLICT']);
    const none = await force(admin, `rp-${'0'.repeat(32)}`);
    expect([none.status, none.body.error_code]).toEqual([404, 'NOT_FOUND']);
  });

  function force<T = AnyBody>(caller: Caller, id = replayId): Promise<Answer<T>> {
    return caller.send<T>('POST', `/replay/${id}/force_continue${PLAIN}`, {});
  }
});

describe('REPLAY-07', () => {
  let job_id: string;

  beforeAll(async () => {
    job_id = (await tuff.ask('Write a short poem about rain', { job_seed: 'mocked' })).body.job_id;
  });

  it.each(['audit', 'reexecute'])(
    'REPLAY-07: a sandbox run in mode %s on a mock of the engine is not authoritative, even where it matches',
    async (mode) => {
      const asked = jest.spyOn(World.prototype, 'perform').mockRejectedValue(new Error('a replay asked the world'));
      const mocks = [{ agent_id: 'creative_agent', reply: POEM }];
      const { status, body } = await auditor.send<ReplayResult>('POST', '/replay/request', { job_id, mode, mocks });
      expect(status).toBe(200);
      expect(body).toMatchObject({ ...REPLAYED, authoritative: false, mocked: ['creative_agent'], mode });
      expect(asked).not.toHaveBeenCalled();
    },
  );

  it('REPLAY-07: other words of the mock differ from the record exactly in the words', async () => {
    const mocks = [{ agent_id: 'creative_agent', reply: 'Sun.' }];
    const asked = { job_id, mode: 'reexecute', mocks };
    const { body } = await auditor.send<ReplayResult>('POST', `/replay/request${PLAIN}`, asked);
    expect(body).toMatchObject({ verdict: 'MISMATCH', authoritative: false, error_code: 'REPLAY_DIVERGENCE' });
    expect(body.divergence!.differences).toEqual([
      { pointer: '/data/text', recorded: canonicalize(POEM), computed: '"Sun."' },
      { pointer: '/data/tokens', recorded: '11', computed: '1' },
    ]);
  });

  it('REPLAY-07: a production replay takes no mocks, and others only of agents that ask an engine', async () => {
    const ask = (mode: string, agent_id: string): Promise<Answer<AnyBody>> =>
      auditor.send('POST', '/replay/request', { job_id, mode, mocks: [{ agent_id, reply: 'x' }] });
    expect((await ask('production', 'creative_agent')).body.error_code).toBe('INVALID_INPUT');
    expect((await ask('audit', 'math_agent')).body.error_code).toBe('INVALID_INPUT');
  });

  it('REPLAY-07: two mocks of one agent are refused, and nothing of them is recorded', async () => {
    const before = (await app.texts()).length;
    const mocks = ['a', 'b'].map((reply) => ({ agent_id: 'creative_agent', reply }));
    const { status, body } = await auditor.send('POST', '/replay/request', { job_id, mode: 'audit', mocks });
    expect([status, body.error_code]).toEqual([400, 'INVALID_INPUT']);
    expect(body.developer_message).toMatch(/^mocks: one for each agent/);
    expect(replaysIn((await app.texts()).slice(before))).toEqual([]);
  });
});

describe('a reexecuted job', () => {
  it.each<[string, () => Promise<AgentReply>]>([
    ['does not answer in time', () => new Promise(() => undefined)],
    ['ends', () => Promise.reject(new SandboxEndedError('the thread exited'))],
  ])('is no finding on its record where the sandbox %s: REPLAY_TIMEOUT, and decided anew', async (_, answer) => {
    const { body: job } = await tuff.ask('6*7');
    // Nearly all of the replay's time is gone when the turn begins, so that nobody waits for it here.
    const times = [0];
    const clock = jest
      .spyOn(app.parts.app.nest.get(ReplayClock), 'now')
      .mockImplementation(() => times.shift() ?? 59_999);
    const sandbox = jest.spyOn(Sandbox.prototype, 'agent');
    sandbox.mockImplementation((agent_id) => ({ agent_id, external: false, answer }));
    const key = { 'idempotency-key': `sandbox-${job.job_id}` };
    const order = { job_id: job.job_id, mode: 'reexecute' };
    const { status, body } = await auditor.send('POST', '/replay/request', order, key);
    expect([status, body.error_code]).toEqual([409, 'REPLAY_TIMEOUT']);
    const recorded = await app.stream(`replay-${body.meta['replay_id'] as string}`);
    expect(recorded.map(({ type }) => type)).toEqual(['REPLAY_REQUEST', 'REPLAY_TIMEOUT', 'REPLAY_RESULT']);
    expect(recorded[1]!.data).toMatchObject({ limit: 'agent_timeout_ms', event_number: null });
    sandbox.mockRestore();
    clock.mockRestore();
    const again = await auditor.send<ReplayResult>('POST', '/replay/request', order, key);
    expect(again.body).toMatchObject(REPLAYED);
  });

  it('differs where an agent of then is not the agent of now, which an audit of the record cannot see', async () => {
    const agents = app.parts.app.nest.get(InstalledAgents);
    const honest = agents.get('math_agent')!;
    const wrong: AgentReply = { ...SAID, text: '6 * 7 = 43.', confidence: 1, reasoning_trace: [] };
    agents.set('math_agent', {
      ...honest,
      agent_id: 'math_agent',
      external: false,
      answer: () => Promise.resolve(wrong),
    });
    const { body: job } = await tuff.ask('6*7', { job_seed: 'another-agent' });
    agents.set('math_agent', honest);
    const id = job.job_id ?? (job.meta['job_id'] as string);
    expect((await replay(id, 'audit')).body.verdict).toBe('MATCH');
    const { body } = await replay(id, 'reexecute');
    expect(body).toMatchObject({ verdict: 'MISMATCH', authoritative: true, error_code: 'REPLAY_DIVERGENCE' });
    expect(body.divergence).toMatchObject({ event_type: 'AGENT_OUTPUT', fault: null });
    expect(body.divergence!.differences).toContainEqual({
      pointer: '/data/text',
      recorded: '"6 * 7 = 43."',
      computed: '"6 * 7 = 42."',
    });
  });
});

describe('what a person said', () => {
  it('is redacted in a difference for all but its owner, and shown to an auditor who goes on record first', async () => {
    const forged = await forge('redacted', ['REFLECTIVE_LOG_WRITTEN', { final_answer: '6 * 7 = 43.' }]);
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
    const forged = await forge('half-redacted', ['ROUTER_DECISION', { depth: 2 }]);
    const { body } = await operator.send<ReplayResult>('POST', '/replay/request', { job_id: forged });
    expect(body.divergence).toMatchObject({ pointer: '/data/depth', recorded: '2', recorded_hash: sha256('2') });
    expect(JSON.stringify(body)).not.toContain(sha256('6*7'));
  });
});

describe('a production replay', () => {
  it('is for auditors and admins, and for an operator with the council’s approval of that job alone', async () => {
    const { body: job } = await tuff.ask('6*7', { job_seed: 'by-approval' });
    const asked = { job_id: job.job_id, mode: 'production' };
    const denied = await operator.send('POST', '/replay/request', asked);
    expect([denied.status, denied.body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
    expect((await (await app.caller('ada', ['admin'])).send('POST', '/replay/request', asked)).status).toBe(200);

    const wish = {
      kind: 'production_replay',
      payload: { action: 'production_replay', job_id: job.job_id },
      justification: 'forensics',
    };
    const { body: request } = await operator.send<RequestView>('POST', '/actionrequest/create', wish);
    const approval_id = request.request_id;
    const early = await operator.send('POST', '/replay/request', { ...asked, approval_id });
    expect([early.status, early.body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
    expect(await overridden(approval_id)).toEqual(['409 CONFLICT', '409 CONFLICT']);
    expect((await operator.send('POST', '/replay/request', { ...asked, approval_id })).status).toBe(403);
    await vote(approval_id, ['anna', 'ben', 'cara']);
    const allowed = await operator.send<ReplayResult>('POST', '/replay/request', { ...asked, approval_id });
    expect([allowed.status, allowed.body.verdict]).toEqual([200, 'MATCH']);

    const { body: other } = await tuff.ask('6*8', { job_seed: 'not-approved' });
    const elsewhere = { job_id: other.job_id, mode: 'production', approval_id };
    expect((await operator.send('POST', '/replay/request', elsewhere)).status).toBe(403);
    const olga = await app.caller('olga', ['operator']);
    expect((await olga.send('POST', '/replay/request', { ...asked, approval_id })).status).toBe(403);
  });
});

describe('a replay that takes too long', () => {
  it('is stopped at the job’s own MAX_REPLAY_MS, recorded, refused, and decided anew when it is asked for again', async () => {
    const { body: job } = await tuff.ask('6*7', { job_seed: 'too-slow' });
    let now = 0;
    const slow = jest.spyOn(app.parts.app.nest.get(ReplayClock), 'now').mockImplementation(() => (now += 10_000));
    const key = { 'idempotency-key': 'slowly' };
    const { status, body } = await auditor.send('POST', '/replay/request', { job_id: job.job_id }, key);
    expect([status, body.error_code, body.user_message]).toEqual([
      409,
      'REPLAY_TIMEOUT',
      goldenMessage('REPLAY_TIMEOUT'),
    ]);
    const replayId = body.meta['replay_id'] as string;
    const recorded = await app.stream(`replay-${replayId}`);
    expect(recorded.map(({ type }) => type)).toEqual(['REPLAY_REQUEST', 'REPLAY_TIMEOUT', 'REPLAY_RESULT']);
    expect(recorded[1]!.data).toMatchObject({ job_id: job.job_id, limit: 'max_replay_ms', allowed: 60_000 });
    slow.mockRestore();
    const again = await auditor.send<ReplayResult>('POST', '/replay/request', { job_id: job.job_id }, key);
    expect(again.body).toMatchObject({ ...REPLAYED, replay_id: replayId });
  });
});

describe('a record that does not hold, in a replay that takes too long', () => {
  it('is not searched for what is missing beyond the time that a replay has', async () => {
    const { body: job } = await tuff.ask('6*7', { job_seed: 'searched-too-long' });
    await resign(app, jobStream(job.job_id), 'JOB_SEALED', { count: 1 });
    tampered.push(job.job_id);
    const key = { 'idempotency-key': 'searched' };
    let now = 0;
    const slow = jest.spyOn(app.parts.app.nest.get(ReplayClock), 'now').mockImplementation(() => (now += 10_000));
    const { body } = await auditor.send('POST', '/replay/request', { job_id: job.job_id }, key);
    expect(body.error_code).toBe('REPLAY_TIMEOUT');
    slow.mockRestore();
    const again = await auditor.send('POST', '/replay/request', { job_id: job.job_id }, key);
    expect(again.body.error_code).toBe('INTEGRITY_FAILURE');
  });
});

describe('the list of replays', () => {
  it('tells them newest first, of one job and of one verdict', async () => {
    const { body: job } = await tuff.ask('6*7', { job_seed: 'listed' });
    const ids: string[] = [];
    for (const mode of ['audit', 'reexecute'] as const) ids.unshift((await replay(job.job_id, mode)).body.replay_id);
    const listed = async (query: string) => {
      const { body } = await operator.get<{ items: readonly ReplayResult[] }>(`/replay?${query}`);
      return body.items.map(({ replay_id }) => replay_id);
    };
    await caughtUp();
    expect(await listed(`job_id=${job.job_id}`)).toEqual(ids);
    expect(await listed(`job_id=${job.job_id}&verdict=MATCH&limit=1`)).toEqual([ids[0]]);
    expect(await listed(`job_id=${job.job_id}&verdict=MISMATCH`)).toEqual([]);
  });
});

function replay(job_id: string, mode: 'audit' | 'reexecute' | 'production'): Promise<Answer<ReplayResult>> {
  return auditor.send<ReplayResult>('POST', `/replay/request${PLAIN}`, { job_id, mode });
}

function refusedReplay(job_id: string, mode: string): Promise<Answer<AnyBody>> {
  return auditor.send('POST', '/replay/request', { job_id, mode });
}

/** A job whose record was changed, event by event, by somebody who holds the keys. */
async function forge(
  job_seed: string,
  ...changes: readonly (readonly [type: string, change: JsonObject])[]
): Promise<string> {
  const { body } = await tuff.ask('6*7', { job_seed });
  tampered.push(body.job_id);
  for (const [type, change] of changes) await resign(app, jobStream(body.job_id), type, change);
  return body.job_id;
}

async function read(id: string): Promise<RequestView> {
  return (await (await app.caller('ada', ['admin'], ['otp'])).get<RequestView>(`/actionrequest/${id}`)).body;
}

async function vote(id: string, members: readonly string[]): Promise<void> {
  const { proposal_digest } = await read(id);
  for (const member of members) {
    const voter = await app.caller(member, ['council'], ['otp']);
    const { status } = await voter.send('POST', `/actionrequest/${id}/vote`, { vote: 'approve', proposal_digest });
    expect(status).toBe(200);
  }
}

/** What a superadmin and another admin are answered who sign a request as an emergency. */
async function overridden(id: string): Promise<readonly string[]> {
  const { proposal_digest } = await read(id);
  const answers: string[] = [];
  for (const [name, role] of [['root', 'superadmin'] as const, ['bob', 'admin'] as const]) {
    const signer = await app.caller(name, [role], ['otp']);
    const signed = { request_id: id, proposal_digest, reason: 'the council sleeps' };
    const { status, body } = await signer.send('POST', '/superadmin/override', signed);
    answers.push(`${status} ${body.error_code}`);
  }
  return answers;
}

function replaysIn(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text.includes('"stream":"replay-'));
}

/** A checkpoint is signed over everything so far. */
async function covered(): Promise<void> {
  const { proof, eventStore } = app.parts.platform;
  await proof.covering(await eventStore.head(), 60_000);
}

async function caughtUp(): Promise<void> {
  const host = app.parts.app.nest.get(ProjectionHost);
  await host.waitFor(await app.parts.platform.eventStore.head(), ['replays']);
}
