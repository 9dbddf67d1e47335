import { Buffer } from 'node:buffer';

import { jobStream, World } from '#lib/jobs';
import { type LoggedEvent, SubjectCiphers } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';
import type { NegotiationPage, ShownNegotiation } from '#lib/negotiation';
import { verifyBundle } from '#lib/verifier';

import { eventually } from '../../../../test/support/eventually.js';
import type { AnyBody, Caller, JobApp } from '../../../../test/support/job-app.js';
import { adoptGovernance } from '../../../../test/support/policies.js';
import { remove, resign } from '../../../../test/support/resigning.js';
import { RoomApp } from '../../../../test/support/room-app.js';
import { proposalBy, refusalOf, voteBy } from '../../../../test/support/room-client.js';

/** The council of answers with critics who vote by real gRPC (spec/negotiation-room.md, "As the answer council's outside critics"). */

const BUILT_IN = ['council_factuality_v1', 'council_coherence_v1', 'council_safety_v1'];
const ASYNC = { prefer: 'respond-async' };
/** Longer than any test takes: closed by the last vote, never by time. */
const LONG_S = 600;

let room: RoomApp;
let app: JobApp;
let tuff: Caller;
let ann: Caller;
const tampered: string[] = [];

beforeAll(async () => {
  room = await RoomApp.open();
  ({ app } = room);
  await callers();
});
afterAll(async () => {
  await room.stop();
  // Every job made here is replayed: nobody votes again, and it is a MATCH.
  await app.dispose({ tampered });
});

async function callers(): Promise<void> {
  [tuff, ann] = await Promise.all([app.caller('tuff'), app.caller('ann', ['agent'])]);
}

/** From now on these are asked outside, beside the three of the house. */
function seat(
  outside: Readonly<Record<string, number>>,
  outside_window_s: number,
  more: JsonObject = {},
): Promise<void> {
  const own = BUILT_IN.map((critic_id) => ({ critic_id, weight: 1 }));
  const theirs = Object.entries(outside).map(([critic_id, weight]) => ({ critic_id, weight, outside: true }));
  return adoptGovernance(app, {
    answer_council: {
      critics: [...own, ...theirs],
      quorum: { minimum_fraction: 0.5 },
      on_failure: 'FAIL_CLOSED',
      vote_collection_timeout_ms: 10_000,
      outside_window_s,
      ...more,
    },
  });
}

/** Begun, and not waited for. */
async function begin(query_text: string, job_seed: string): Promise<string> {
  const { status, body } = await tuff.send('POST', '/jobs', { query_text, job_seed }, ASYNC);
  expect(status).toBe(202);
  return body.job_id;
}

/** The answer that stands before the outside critics in its n-th negotiation, as ann finds it. */
function asked(job: string, nth = 0): Promise<string> {
  return eventually(async () => {
    const outputs = (await app.stream(jobStream(job))).filter(({ type }) => type === 'AGENT_OUTPUT');
    const id = outputs[nth] && `mace-answer-${outputs[nth].metadata.event_id}`;
    return id !== undefined && (await app.stream(`negotiation-${id}`)).length > 0 ? id : null;
  });
}

function sealed(job: string): Promise<AnyBody> {
  return eventually(async () => {
    const { body } = await tuff.get(`/jobs/${job}`);
    return body.status === 'running' ? null : body;
  });
}

const vote = (who: string, id: string, more: object = {}) => room.call(who, 'SubmitVote', voteBy(who, id, more));

async function ofType(stream: string, type: string): Promise<readonly LoggedEvent[]> {
  return (await app.stream(stream)).filter((event) => event.type === type);
}

describe('an answer before outside critics', () => {
  it('waits for their votes over gRPC, which weigh as configured, and is recorded with the negotiation', async () => {
    await seat({ ann: 2, ben: 0.5 }, LONG_S);
    const job = await begin('6*7', 'outside:counted');
    const id = await asked(job);
    await vote('ben', id, { score: 4, passed: false, recommendations: ['Show the steps.'] });
    expect(await ofType(jobStream(job), 'COUNCIL_DECISION')).toEqual([]);
    await vote('ann', id, { score: 10 });
    expect(await sealed(job)).toMatchObject({
      status: 'completed',
      final_answer: expect.stringContaining('42') as string,
    });
    const [decision] = await ofType(jobStream(job), 'COUNCIL_DECISION');
    expect(decision!.data).toMatchObject({
      outcome: 'approved',
      approvals: 5,
      rejections: 0.5,
      votes_received: 5,
      votes_expected: 5,
      collection_timeout_reached: false,
      weights: { ann: 2, ben: 0.5 },
    });
    const [put] = await ofType(jobStream(job), 'OUTSIDE_CRITICS_ASKED');
    expect(put!.data).toMatchObject({ artifact_id: id, critics: ['ann', 'ben'], window_s: LONG_S });
    const votes = await ofType(jobStream(job), 'COUNCIL_VOTE');
    expect(votes.map(({ data }) => data['council_agent_id'])).toEqual([...BUILT_IN, 'ann', 'ben']);
    expect(votes.at(-1)!.data).toMatchObject({
      scores: { factuality: 0.4, coherence: 0.4, safety: 0.4 },
      approve: false,
      suggested_changes: 'Show the steps.',
    });
  });

  it('that they refuse by weight is given again with what they suggest, in a negotiation of its own', async () => {
    await seat({ ann: 10 }, LONG_S);
    const job = await begin('6*8', 'outside:refused');
    const first = await asked(job);
    await vote('ann', first, { score: 2, passed: false, recommendations: ['Name the unit.'] });
    const second = await asked(job, 1);
    expect(second).not.toBe(first);
    await vote('ann', second);
    expect((await sealed(job)).status).toBe('completed');
    const decisions = await ofType(jobStream(job), 'COUNCIL_DECISION');
    expect(decisions.map(({ data }) => data['outcome'])).toEqual(['rejected', 'approved']);
    const put = await ofType(jobStream(job), 'OUTSIDE_CRITICS_ASKED');
    expect(put.map(({ data }) => data['artifact_id'])).toEqual([first, second]);
    const turns = await ofType(jobStream(job), 'AGENT_INVOKED');
    expect(turns[1]!.data['suggested_changes']).toEqual(['Name the unit.']);
  });

  it('is decided at the window’s end by who voted; a vote after it is told late, recorded and never counted', async () => {
    await seat({ ann: 1, ben: 1 }, 1);
    const job = await begin('6*9', 'outside:late');
    const id = await asked(job);
    await vote('ann', id, { score: 6 });
    expect((await sealed(job)).status).toBe('completed');
    const before = await app.stream(jobStream(job));
    const late = await vote('ben', id, { score: 0, passed: false });
    expect(late.trailers.get('sw4rm-vote-disposition')).toEqual(['late']);
    expect((await ofType(`negotiation-${id}`, 'LATE_VOTE')).map(({ data }) => data['critic_id'])).toEqual(['ben']);
    expect(await app.stream(jobStream(job))).toEqual(before);
    expect(before.find(({ type }) => type === 'COUNCIL_DECISION')!.data).toMatchObject({
      outcome: 'approved',
      votes_received: 4,
      votes_expected: 5,
      quorum_met: true,
      collection_timeout_reached: true,
      unavailable_critics: ['ben'],
      unavailable_reasons: { ben: 'no vote in time: unregistered' },
      rejections: 0,
    });
  });

  it('is decided without any of them where the quorum is met, and brings nobody else in', async () => {
    await seat({ ann: 1 }, 1);
    const job = await begin('7*7', 'outside:gone');
    expect((await sealed(job)).status).toBe('completed');
    const [decided] = await ofType(`negotiation-${await asked(job)}`, 'NEGOTIATION_DECIDED');
    expect(decided!.data['outcome']).toBe('ESCALATED_TO_HITL');
    // What came to the inbox comes after the one that is told of here, in the order of the log.
    const artifact = await room.proposed(['ann']);
    await vote('ann', artifact, { recommendations: ['escalate'] });
    const operator = await app.caller('otto', ['operator']);
    const items = await eventually(async () => {
      const { body } = await operator.get<{ items: readonly { payload: JsonObject }[] }>('/actionrequest?kind=hitl');
      return body.items.length > 0 ? body.items : null;
    });
    expect(items.map(({ payload }) => payload['artifact_id'])).toEqual([artifact]);
  });

  it('goes to people without a quorum of all critics', async () => {
    await seat({ ann: 1 }, 1, { quorum: { require_all: true } });
    const job = await begin('8*8', 'outside:closed');
    expect(await sealed(job)).toMatchObject({ status: 'failed', error: { error_code: 'COUNCIL_DEADLOCK' } });
  });
});

describe('what outside critics see', () => {
  it('is the question and the answer without what is personal in them, and only for who is asked', async () => {
    await seat({ ann: 1 }, LONG_S);
    const kept = await begin('Remember that my favorite color is vermilion', 'outside:told');
    const first = await ann.get<ShownNegotiation>(`/negotiations/${await asked(kept)}`);
    expect(Buffer.from(first.body.artifact!, 'base64').toString()).not.toMatch(/vermilion|tuff/i);
    await vote('ann', await asked(kept));
    expect((await sealed(kept)).status).toBe('completed');
    const job = await begin('What is my favorite color?', 'outside:private');
    const id = await asked(job);
    const { body } = await ann.get<ShownNegotiation>(`/negotiations/${id}`);
    expect(JSON.parse(Buffer.from(body.artifact!, 'base64').toString())).toMatchObject({
      kind: 'answer',
      question: 'What is my favorite color?',
      answer: expect.stringContaining('[redacted:memory]') as string,
      evidence: [],
      withheld_evidence: 1,
    });
    // Under the data key of whoever is answered: erased with what else is theirs.
    const { platform, app: opened } = app.parts;
    const stored = await platform.artifacts.get(body.artifact_ref);
    const { kid } = await opened.nest.get(SubjectCiphers, { strict: false }).load('user_tuff');
    expect(JSON.parse(Buffer.from(stored!).toString())).toMatchObject({ $enc: { kid } });
    const list = await eventually(async () => {
      const { body } = await ann.get<NegotiationPage>('/negotiations?critic=me&status=open');
      return body.items.find(({ artifact_id }) => artifact_id === id) ?? null;
    });
    const told = JSON.stringify([body, list, Buffer.from(body.artifact!, 'base64').toString()]);
    expect(told).not.toMatch(/vermilion|tuff/i);
    for (const who of ['tuff', 'eve', 'agent:profile_v1', 'profile_agent']) {
      const other = await app.caller(who, ['agent']);
      expect((await other.get(`/negotiations/${id}`)).status).toBe(404);
      expect(await refusalOf(room.call(who, 'GetVotes', { artifact_id: id }))).toMatch(/^PERMISSION_DENIED/);
    }
    await vote('ann', id);
    expect((await sealed(job)).final_answer).toContain('vermilion');
  });

  it('is proposed by the council alone: nobody takes an answer’s id before', async () => {
    expect(await refusalOf(room.call('maker', 'SubmitProposal', proposalBy('maker', 'mace-answer-1', ['ann'])))).toBe(
      'PERMISSION_DENIED PERMISSION_DENIED: artifact_id: those of answers are proposed by the council of answers',
    );
  });

  it('is nothing where the only critic is who asked', async () => {
    await seat({ tuff: 1 }, LONG_S);
    const { body } = await tuff.ask('9*9', { job_seed: 'outside:own' });
    const [decision] = await ofType(jobStream(body.job_id), 'COUNCIL_DECISION');
    expect(decision!.data['unavailable_reasons']).toEqual({
      tuff: 'nobody votes on an answer of their own, or to themself',
    });
    expect(await app.stream(`negotiation-mace-answer-${decision!.data['candidate_event_id'] as string}`)).toEqual([]);
  });
});

describe('a job in the middle of a window', () => {
  it('is taken further by the next start, in the same negotiation, with the vote that was cast', async () => {
    await seat({ ann: 1, ben: 1 }, LONG_S);
    const job = await begin('5*5', 'outside:stopped');
    const id = await asked(job);
    await vote('ann', id, { score: 5, passed: false });
    await room.stop();
    await room.restart();
    await callers();
    await vote('ben', id);
    expect((await sealed(job)).status).toBe('completed');
    const types = (await app.stream(`negotiation-${id}`)).map(({ type }) => type);
    expect(types).toEqual([
      'NEGOTIATION_PROPOSED',
      'VOTE_CAST',
      'VOTE_CAST',
      'VOTE_WINDOW_CLOSED',
      'NEGOTIATION_DECIDED',
    ]);
    expect(await ofType(jobStream(job), 'COUNCIL_DECISION')).toHaveLength(1);
  });
});

describe('a replay', () => {
  async function judged(query: string, seed: string): Promise<string> {
    await seat({ ann: 2 }, LONG_S);
    const job = await begin(query, seed);
    await vote('ann', await asked(job));
    await sealed(job);
    return job;
  }
  const replay = async (job_id: string, mode: string) => {
    const auditor = await app.caller('otto', ['auditor']);
    return auditor.send<AnyBody & { verdict: string; divergence: JsonObject }>('POST', '/replay/request', {
      job_id,
      mode,
    });
  };

  it('is proven by the job’s bundle, to whoever has nothing else', async () => {
    const job = await judged('6*6', 'outside:bundled');
    const auditor = await app.caller('otto', ['auditor']);
    const bundle = await auditor.get<JsonObject>(`/audit/bundle/${job}`);
    expect(bundle.status).toBe(200);
    const report = verifyBundle(Buffer.from(JSON.stringify(bundle.body)), { keys: [], origin: null });
    expect(report).toMatchObject({ verdict: 'verified', replay: 'MATCH' });
  });

  it('asks no critic in any mode: their votes come from the record', async () => {
    const job = await judged('4*4', 'outside:replayed');
    const performed = jest.spyOn(World.prototype, 'perform').mockRejectedValue(new Error('a replay asked the world'));
    const before = (await app.texts()).filter((text) => text.includes('"stream":"negotiation-')).length;
    for (const mode of ['audit', 'reexecute', 'production']) {
      expect((await replay(job, mode)).body.verdict).toBe('MATCH');
    }
    expect(performed).not.toHaveBeenCalled();
    performed.mockRestore();
    expect((await app.texts()).filter((text) => text.includes('"stream":"negotiation-'))).toHaveLength(before);
  });

  it.each<[string, string, JsonObject]>([
    ['vote that was changed and signed again', 'COUNCIL_VOTE', { approve: false }],
    ['negotiation that was exchanged', 'OUTSIDE_CRITICS_ASKED', { artifact_id: 'mace-answer-other' }],
  ])('finds a %s', async (_, type, change) => {
    const job = await judged('3*3', `outside:changed-${type}`);
    tampered.push(job);
    await resign(app, jobStream(job), type, change);
    const { status, body } = await replay(job, 'audit');
    expect([status, body.verdict ?? body.error_code]).not.toEqual([200, 'MATCH']);
    expect(JSON.stringify(body)).toMatch(/REPLAY_DIVERGENCE|INTEGRITY_FAILURE/);
  });

  it('is refused in every mode where a recorded vote was taken away', async () => {
    const job = await judged('2*2', 'outside:removed');
    tampered.push(job);
    remove(app.folder, jobStream(job), 'COUNCIL_VOTE');
    for (const mode of ['production', 'audit']) {
      const { status, body } = await replay(job, mode);
      expect([status, body.error_code]).toEqual([409, 'MISSING_PERSISTED_AGENT_OUTPUT']);
    }
  });
});
