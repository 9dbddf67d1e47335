import type { AnswerCouncilPolicy, CollectedVotes } from '#lib/council';
import { eventId, goldenMessage } from '#lib/kernel';

import { jobResult } from '../domain/job-result.js';
import {
  answer,
  collected,
  COUNCIL,
  engineInput,
  type InputOptions,
  only,
  runScripted,
  type Script,
  voteOf,
  votesOf,
} from '../testing/scripted-job.js';
import type { AgentResult, CollectVotes } from './effects.js';
import type { EngineInput } from './input.js';
import type { NumberedEvent } from './recorder.js';
import { replayEngine } from './replay-engine.js';

const DECLINED: AgentResult = { kind: 'declined', reason: 'not mine', time_ms: 1 };
const REJECTED = votesOf([false, false, true], 0.2);
const SPLIT = votesOf([true, false]);
const ONE = collected([voteOf('critic_1')], { critic_0: 'crashed: TypeError', critic_2: 'no vote in time' });

const council = (change: Partial<AnswerCouncilPolicy>): InputOptions => ({
  limits: { answer_council: { ...COUNCIL, ...change } },
});

/** Trust in modules by agent_id; the others keep theirs. */
function trusting(apts: Readonly<Record<string, number>>, input = engineInput()): EngineInput {
  const modules = input.modules.map((module) => ({ ...module, apt: apts[module.agent_id] ?? module.apt }));
  return { ...input, modules };
}

function run(script: Script, input = engineInput()) {
  const { events, types, asked } = runScripted(input, script);
  expect(replayEngine(input, events)).toEqual({ matched: events.length, difference: null });
  const decisions = events.filter(({ type }) => type === 'COUNCIL_DECISION').map(({ data }) => data);
  return { events, types, asked, decisions, result: jobResult(events, 'seed-1', 'trace-x') };
}

/** The id of the first answer's event. */
function answerEvent(events: readonly NumberedEvent[]): { readonly event_id: string } {
  const { sequenceIndex, type } = only(events, 'AGENT_OUTPUT');
  return { event_id: eventId('seed-1', sequenceIndex, type) };
}

describe('a vote on an answer', () => {
  it('is asked of the critics that the job’s own snapshot names, within its window', () => {
    const { asked } = run({}, engineInput(council({ vote_collection_timeout_ms: 77 })));
    const [round] = asked.filter((effect): effect is CollectVotes => effect.kind === 'collect_votes');
    expect(round).toMatchObject({ critics: ['critic_0', 'critic_1', 'critic_2'], timeout_ms: 77 });
  });

  it('is recorded with what was expected, who was missing and why, and every weight', () => {
    const missing: CollectedVotes = {
      ...collected([voteOf('critic_0'), voteOf('critic_1')], { critic_2: 'no vote in time' }),
      collection_timeout_reached: true,
    };
    const { types, decisions } = run({ votes: [missing] });
    expect(types.filter((type) => type === 'COUNCIL_VOTE')).toHaveLength(2);
    expect(decisions).toEqual([
      expect.objectContaining({
        outcome: 'approved',
        votes_received: 2,
        votes_expected: 3,
        quorum_threshold: 2,
        quorum_met: true,
        collection_timeout_reached: true,
        unavailable_critics: ['critic_2'],
        unavailable_reasons: { critic_2: 'no vote in time' },
        abstained: [],
        weights: { critic_0: 1, critic_1: 1, critic_2: 1 },
      }),
    ]);
  });

  it('of somebody without a seat, or a second one, is neither counted nor recorded', () => {
    const votes = [voteOf('critic_0'), voteOf('critic_0', false), voteOf('outsider', false), voteOf('critic_1')];
    const { events, decisions } = run({ votes: [collected(votes)] });
    const cast = events.filter(({ type }) => type === 'COUNCIL_VOTE').map(({ data }) => data['council_agent_id']);
    expect(cast).toEqual(['critic_0', 'critic_1']);
    expect(decisions[0]).toMatchObject({ outcome: 'approved', votes_received: 2, rejections: 0 });
  });

  it('weighs what the snapshot says, and a replay on other weights is another job', () => {
    const heavy = COUNCIL.critics.map((seat, i) => ({ ...seat, weight: i === 0 ? 3 : 1 }));
    const script = { votes: [votesOf([true, false, false])] };
    const input = engineInput(council({ critics: heavy }));
    const { events, result } = run(script, input);
    expect(result.status).toBe('completed');
    const { difference } = replayEngine(engineInput(), events);
    expect(difference?.computed).toMatchObject({ type: 'COUNCIL_DECISION', data: { outcome: 'rejected' } });
  });
});

describe('outside critics', () => {
  const SEATS = [
    { critic_id: 'critic_0', weight: 1 },
    { critic_id: 'ann', weight: 2, outside: true },
    { critic_id: 'ben', weight: 1, outside: true },
  ] as const;
  const input = (window?: number): EngineInput =>
    engineInput(council({ critics: SEATS, ...(window === undefined ? {} : { outside_window_s: window }) }));

  it('are asked in a negotiation whose id follows from the answer’s event, within the snapshot’s window', () => {
    const votes = [collected([voteOf('critic_0'), voteOf('ann')])];
    const { events, types, asked, decisions } = run({ votes }, input(7));
    const { event_id } = answerEvent(events);
    const [round] = asked.filter((effect): effect is CollectVotes => effect.kind === 'collect_votes');
    expect(round).toMatchObject({
      critics: ['critic_0', 'ann', 'ben'],
      outside: {
        artifact_id: `mace-answer-${event_id}`,
        critics: ['ann', 'ben'],
        window_s: 7,
        node_id: 'agent:profile_v1',
      },
    });
    const before = types[types.indexOf('COUNCIL_VOTE') - 1];
    expect([before, only(events, 'OUTSIDE_CRITICS_ASKED').data]).toEqual([
      'OUTSIDE_CRITICS_ASKED',
      {
        iteration: 1,
        candidate_event_id: event_id,
        artifact_id: `mace-answer-${event_id}`,
        critics: ['ann', 'ben'],
        window_s: 7,
      },
    ]);
    expect(decisions[0]).toMatchObject({ outcome: 'approved', votes_received: 2, votes_expected: 3 });
  });

  it('have five minutes where the snapshot names no window', () => {
    const { asked } = run({ votes: [collected([voteOf('critic_0'), voteOf('ann')])] }, input());
    expect(asked.find(({ kind }) => kind === 'collect_votes')).toMatchObject({ outside: { window_s: 300 } });
  });

  it('weigh as their seats do, and a replay takes their votes and absences from the record', () => {
    const missing = { ben: 'no vote in time: silent' };
    const votes = {
      ...collected([voteOf('critic_0'), voteOf('ann', false, 0.3)], missing),
      collection_timeout_reached: true,
    };
    const { decisions } = run({ votes: [votes, votesOf([true])] }, input());
    expect(decisions[0]).toMatchObject({
      outcome: 'rejected',
      approvals: 1,
      rejections: 2,
      unavailable_reasons: missing,
      collection_timeout_reached: true,
    });
  });

  it('that their seats say how to call are asked so, told who answered, and in no negotiation', () => {
    const endpoint = { kind: 'http', url: 'https://critics.example/vote' } as const;
    const seats = [
      { critic_id: 'tone', weight: 2, endpoint },
      { critic_id: 'terse', weight: 1, prompt: { system: 'Be terse.' } },
    ];
    const votes = [collected([voteOf('critic_0'), voteOf('tone')], { terse: 'failed: RemoteNotJson' })];
    const { asked, types, decisions } = run({ votes }, engineInput(council({ critics: [SEATS[0], ...seats] })));
    const round = asked.find(({ kind }) => kind === 'collect_votes');
    const called = { seats, node_id: 'agent:profile_v1', memory_write: null };
    expect(round).toMatchObject({ critics: ['critic_0', 'tone', 'terse'], called });
    expect(round).not.toHaveProperty('outside');
    expect(types).not.toContain('OUTSIDE_CRITICS_ASKED');
    expect(decisions[0]).toMatchObject({ approvals: 3, unavailable_reasons: { terse: 'failed: RemoteNotJson' } });
  });

  it('leave a job without them as it was: nothing more is asked, and nothing more recorded', () => {
    const { asked, types } = run({});
    expect(asked.find(({ kind }) => kind === 'collect_votes')).not.toHaveProperty('outside');
    expect(types).not.toContain('OUTSIDE_CRITICS_ASKED');
  });
});

describe('an answer without a quorum', () => {
  it('goes to people under FAIL_CLOSED, however good the vote that came', () => {
    const { types, result, decisions } = run({ votes: [ONE] });
    expect(decisions.map(({ outcome, quorum_met }) => [outcome, quorum_met])).toEqual([
      ['deadlock', false],
      ['deadlock', false],
    ]);
    expect(types).toContain('ACTION_REQUESTED');
    expect(result).toMatchObject({ status: 'failed', error: { error_code: 'COUNCIL_DEADLOCK' } });
  });

  it('is not put back by trust in its author, though several agents answered', () => {
    const { events, result } = run({ turns: [answer(), DECLINED, answer('Other.')], votes: [REJECTED, ONE] });
    expect(only(events, 'COUNCIL_DEADLOCK').data).toMatchObject({ resolution: 'human_review' });
    expect(result.final_answer).toBeNull();
  });

  it('is given where the verification agent’s own answer is approved by a quorum', () => {
    const { events, result } = run({
      turns: [answer(), answer('Checked.')],
      votes: [ONE, votesOf([true, true, true])],
    });
    expect(only(events, 'COUNCIL_DEADLOCK').data).toMatchObject({ resolution: 'verification_agent' });
    expect(result).toMatchObject({ status: 'completed', final_answer: 'Checked.' });
  });

  it('is decided by who voted, or against the missing, only where that is configured', () => {
    expect(run({ votes: [ONE] }, engineInput(council({ on_failure: 'FAIL_WITH_AVAILABLE' }))).result.status).toBe(
      'completed',
    );
    const abstaining = run({ votes: [ONE] }, engineInput(council({ on_failure: 'FAIL_WITH_ABSTAIN' })));
    expect(abstaining.result.error?.error_code).toBe('REPAIR_LIMIT_EXCEEDED');
    expect(abstaining.decisions[0]).toMatchObject({ outcome: 'rejected', abstained: ['critic_0', 'critic_2'] });
  });
});

describe('a deadlock', () => {
  // The first agent is refused and then has no more to say; the next one's answer splits the critics.
  const several = { turns: [answer('First.'), DECLINED, answer('Second.')], votes: [REJECTED, SPLIT] };

  it('among several agents gives the answer of the most trusted one', () => {
    const input = trusting({ generic_agent: 0.9 });
    const { events, types, result } = run(several, input);
    expect(only(events, 'COUNCIL_DEADLOCK').data).toEqual({
      iteration: 2,
      resolution: 'most_trusted_agent',
      node_id: 'agent:generic_v1',
    });
    expect(result).toMatchObject({ status: 'completed', final_answer: 'Second.', agent_id: 'generic_agent' });
    expect(types).not.toContain('ACTION_REQUESTED');
    expect(types.filter((type) => type === 'AGENT_INVOKED')).toHaveLength(3);
  });

  it('among equally trusted agents takes the lower node_id', () => {
    const { events } = run(several, trusting({ generic_agent: 0.7, profile_agent: 0.7 }));
    expect(only(events, 'COUNCIL_DEADLOCK').data['node_id']).toBe('agent:generic_v1');
  });

  it('never gives an answer that the critics refused, however trusted its author: it is verified', () => {
    const input = trusting({ profile_agent: 0.95, generic_agent: 0.5 });
    const { events, result } = run({ ...several, turns: [...several.turns, answer('Checked.')] }, input);
    expect(result.final_answer).not.toBe('First.');
    const turns = events.filter(({ type }) => type === 'AGENT_INVOKED').map(({ data }) => data['agent_id']);
    expect(turns).toEqual(['profile_agent', 'profile_agent', 'generic_agent', 'verification_agent']);
  });

  it('of one agent is resolved by one answer of the verification agent that is approved', () => {
    const script = { turns: [answer('First.'), answer('Checked.')], votes: [SPLIT, votesOf([true, true, true])] };
    const { events, result } = run(script);
    expect(only(events, 'COUNCIL_DEADLOCK').data).toEqual({
      iteration: 1,
      resolution: 'verification_agent',
      node_id: 'agent:verification_v1',
    });
    expect(result).toMatchObject({ status: 'completed', final_answer: 'Checked.' });
  });

  it.each<[string, Script]>([
    ['declines', { turns: [answer(), DECLINED], votes: [SPLIT] }],
    ['times out', { turns: [answer(), { kind: 'timeout' }], votes: [SPLIT] }],
    ['is refused', { votes: [SPLIT, REJECTED] }],
    ['splits the critics too', { votes: [SPLIT] }],
  ])('where the verification agent %s goes to people', (_, script) => {
    const { events, result } = run(script);
    expect(only(events, 'COUNCIL_DEADLOCK').data).toMatchObject({ resolution: 'human_review', node_id: null });
    const outputs = events.filter(({ type }) => type === 'AGENT_OUTPUT').length;
    const request = only(events, 'ACTION_REQUESTED').data;
    expect(request['candidate_event_ids']).toHaveLength(outputs);
    expect(result).toMatchObject({ status: 'failed', final_answer: null });
  });

  it.each<[string, AgentResult, string[]]>([
    ['times out', { kind: 'timeout' }, ['AGENT_TIMEOUT']],
    ['crashes', { kind: 'exception', reason: 'TypeError' }, ['AGENT_ERROR']],
    ['oversteps', { kind: 'violation', action: 'sem.read', evidence_ref: null }, ['PERMISSION_DENIED']],
    ['declines', DECLINED, []],
  ])('stays the job’s error where the verification agent %s', (_, checked, notices) => {
    const { result } = run({ turns: [answer(), checked], votes: [SPLIT] });
    expect(result).toMatchObject({ status: 'failed', user_message: goldenMessage('COUNCIL_DEADLOCK') });
    expect(result.error?.error_code).toBe('COUNCIL_DEADLOCK');
    expect(result.notices.map(({ error_code }) => error_code)).toEqual(notices);
  });

  it('comes after the failure that diverted the job before it', () => {
    const { result } = run({ turns: [{ kind: 'exception', reason: 'x' }, answer(), DECLINED], votes: [SPLIT] });
    expect(result.error?.error_code).toBe('AGENT_ERROR');
    expect(result.notices.map(({ error_code }) => error_code)).toEqual(['COUNCIL_DEADLOCK']);
  });

  it('that was resolved leaves no notice', () => {
    const script = { turns: [answer('First.'), answer('Checked.')], votes: [SPLIT, votesOf([true, true, true])] };
    expect(run(script).result.notices).toEqual([]);
  });

  it('where the verification agent is out of service goes to people without asking it', () => {
    const input = engineInput();
    const modules = input.modules.map((one) =>
      one.agent_id === 'verification_agent' ? { ...one, status: 'offline' as const } : one,
    );
    const { types } = run({ votes: [SPLIT] }, { ...input, modules });
    expect(types.filter((type) => type === 'AGENT_INVOKED')).toHaveLength(1);
    expect(types).toContain('ACTION_REQUESTED');
  });

  it('of the verification agent’s own answer is not verified by itself', () => {
    const { types } = run({ votes: [SPLIT] }, engineInput({ query: 'Verify that 2 + 2 = 4' }));
    expect(types.filter((type) => type === 'AGENT_INVOKED')).toHaveLength(1);
    expect(types).toContain('ACTION_REQUESTED');
  });
});

describe('confidence', () => {
  it('below the minimum goes with the answer as a notice, also where trust settled it', () => {
    const turns = [answer('First.'), DECLINED, answer('Second.', { confidence: 0.2 })];
    const { result } = run({ turns, votes: [REJECTED, votesOf([true, false], 0.5)] }, trusting({ generic_agent: 0.9 }));
    expect(result).toMatchObject({ final_answer: 'Second.', user_message: goldenMessage('LOW_CONFIDENCE') });
  });
});
