import type { Agent, AgentReply } from '#lib/agents';
import { type AnswerCouncilPolicy, type Critic, Critics, type CouncilVote } from '#lib/council';
import { Policies } from '#lib/governance';
import type { JsonObject } from '#lib/kernel';

import { InstalledAgents } from '../../apps/api/src/jobs/agents.js';
import { eventually } from '../support/eventually.js';
import { type Caller, JobApp } from '../support/job-app.js';

const LOW_CONFIDENCE =
  'I’m not confident about this answer. Would you like me to double-check or get a human to review?';
const DEADLOCK =
  'I’m not confident enough to decide on this. Do you want me to ask for human review or try a different approach?';
const BUILT_IN = ['council_factuality_v1', 'council_coherence_v1', 'council_safety_v1'];

let app: JobApp;
let tuff: Caller;

beforeEach(async () => {
  app = await JobApp.open();
  tuff = await app.caller('TUFF');
});
// Every job made here is replayed to MATCH: those with missing critics, and with weights, too.
afterEach(() => app.dispose());

describe('The council of answers over HTTP (seed 001, "Council deadlock" and "Low confidence"; seed 004)', () => {
  it('gives an answer that it approves without confidence, and says so', async () => {
    install(() => Promise.resolve(answer('It may be a number.', 0.01)));
    const { status, body } = await tuff.ask('What is 2 + 2?', { job_seed: 'low' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ final_answer: 'It may be a number.', user_message: LOW_CONFIDENCE });
    expect(body.notices).toEqual([
      expect.objectContaining({ error_code: 'LOW_CONFIDENCE', severity: 'warning', user_message: LOW_CONFIDENCE }),
    ]);
  });

  it('records one vote a critic, and a decision with what was expected and received', async () => {
    const { body } = await tuff.ask('What is 2 + 2?', { job_seed: 'three' });
    expect(body.final_answer).not.toBeNull();
    const events = await app.stream(`job-${body.job_id}`);
    const votes = events.filter((event) => event.type === 'COUNCIL_VOTE');
    expect(votes.map((event) => event.data['council_agent_id'])).toEqual(BUILT_IN);
    expect((await decisions(body.job_id))[0]).toMatchObject({
      outcome: 'approved',
      votes_received: 3,
      votes_expected: 3,
      quorum_threshold: 2,
      quorum_met: true,
      collection_timeout_reached: false,
      unavailable_critics: [],
      weights: Object.fromEntries(BUILT_IN.map((critic) => [critic, 1])),
    });
  });

  it('decides without a critic that crashes, and names it', async () => {
    sit('council_coherence_v1', () => {
      throw new TypeError('it said 123-45-6789');
    });
    const { status, body } = await tuff.ask('What is 2 + 2?', { job_seed: 'crashed' });
    expect(status).toBe(200);
    expect((await decisions(body.job_id))[0]).toMatchObject({
      votes_received: 2,
      quorum_met: true,
      unavailable_critics: ['council_coherence_v1'],
      unavailable_reasons: { council_coherence_v1: 'crashed: TypeError' },
    });
    expect((await app.texts()).join()).not.toContain('123-45-6789');
  });

  it('asks people where too few critics vote well', async () => {
    sit('council_coherence_v1', () => ({ ...vote('council_coherence_v1', true), confidence: NaN }));
    sit('council_safety_v1', () => vote('somebody_else', true));
    const { status, body } = await tuff.ask('What is 2 + 2?', { job_seed: 'few' });
    expect(status).toBe(409);
    expect(body).toMatchObject({ error_code: 'COUNCIL_DEADLOCK', user_message: DEADLOCK });
    const job = body.meta['job_id'] as string;
    expect((await decisions(job))[0]).toMatchObject({
      outcome: 'deadlock',
      votes_received: 1,
      quorum_met: false,
      unavailable_reasons: {
        council_coherence_v1: 'malformed vote: confidence: not a number from 0 to 1',
        council_safety_v1: 'malformed vote: council_agent_id: another critic than the one asked',
      },
    });
    const types = (await app.stream(`job-${job}`)).map((event) => event.type);
    expect(types).toContain('ACTION_REQUESTED');
  });

  it('does not wait for a critic that hangs, and keeps its late vote beside the job', async () => {
    let cast = (_: CouncilVote): void => undefined;
    sit('outside', () => new Promise<CouncilVote>((resolve) => (cast = resolve)), true);
    await adopt({ vote_collection_timeout_ms: 20, critics: seats({ outside: 1 }) });
    const { status, body } = await tuff.ask('What is 2 + 2?', { job_seed: 'hanging' });
    expect(status).toBe(200);
    expect((await decisions(body.job_id))[0]).toMatchObject({
      outcome: 'approved',
      votes_received: 3,
      votes_expected: 4,
      collection_timeout_reached: true,
      unavailable_reasons: { outside: 'no vote in time' },
    });
    const before = await app.stream(`job-${body.job_id}`);
    cast(vote('outside', false));
    const late = await eventually(async () => (await app.stream('system-council'))[0]);
    expect(late.data).toMatchObject({ job_id: body.job_id, council_agent_id: 'outside', approve: false });
    expect(await app.stream(`job-${body.job_id}`)).toEqual(before);
  });

  it('weighs votes as configured, and an earlier job keeps its weights', async () => {
    sit('contrary', () => vote('contrary', false));
    await adopt({ critics: seats({ contrary: 1 }) });
    const light = await tuff.ask('What is 2 + 2?', { job_seed: 'light' });
    expect(light.body.final_answer).not.toBeNull();
    await adopt({ critics: seats({ contrary: 10 }) });
    const heavy = await tuff.ask('What is 2 + 2?', { job_seed: 'heavy' });
    expect([heavy.status, heavy.body.error_code]).toEqual([503, 'REPAIR_LIMIT_EXCEEDED']);
    const heavyJob = heavy.body.meta['job_id'] as string;
    expect((await decisions(heavyJob))[0]).toMatchObject({ outcome: 'rejected', weights: { contrary: 10 } });
    expect((await decisions(light.body.job_id))[0]).toMatchObject({ outcome: 'approved', weights: { contrary: 1 } });
  });
});

function install(reply: Agent['answer']): void {
  app.parts.app.nest.get(InstalledAgents).set('math_agent', { agent_id: 'math_agent', external: false, answer: reply });
}

/** Puts a critic in a seat, in the place of whoever is there. */
function sit(critic_id: string, cast: Critic['vote'], external = false): void {
  app.parts.app.nest.get(Critics).install({ critic_id, external, vote: cast });
}

/** The built-in critics and some more. */
function seats(more: Readonly<Record<string, number>>): AnswerCouncilPolicy['critics'] {
  const all = [...BUILT_IN.map((critic) => [critic, 1] as const), ...Object.entries(more)];
  return all.map(([critic_id, weight]) => ({ critic_id, weight }));
}

/** Changes config/governance.json, as a start after an edit of it would. */
async function adopt(change: Partial<AnswerCouncilPolicy>): Promise<void> {
  const policies = app.parts.app.nest.get(Policies);
  const { body } = await policies.current('governance');
  const answer_council = { ...(body['answer_council'] as JsonObject), ...change } as unknown as JsonObject;
  await policies.adopt('governance', { ...body, answer_council }, Date.now());
}

async function decisions(jobId: string): Promise<readonly JsonObject[]> {
  const events = await app.stream(`job-${jobId}`);
  return events.filter((event) => event.type === 'COUNCIL_DECISION').map(({ data }) => data);
}

function answer(text: string, confidence: number): AgentReply {
  return { kind: 'answer', text, confidence, reasoning_trace: [], evidence: [], memory_write: null };
}

function vote(council_agent_id: string, approve: boolean): CouncilVote {
  const scores = { factuality: 1, coherence: 1, safety: 1 };
  return { council_agent_id, scores, approve, suggested_changes: '', note: 'a synthetic vote', confidence: 1 };
}
