import { createHash } from 'node:crypto';

import type { ProviderFailure } from '#lib/agents';
import { goldenMessage, retryAllowed, type ErrorCode, type ErrorEnvelope } from '#lib/kernel';

import type { ReflectiveLogWritten } from '../domain/jobs.events.js';
import { jobResult } from '../domain/job-result.js';
import {
  answer,
  COLOR,
  collected,
  DISTRUSTED,
  engineInput,
  type InputOptions,
  MOMENT,
  only,
  POET,
  runScripted,
  seedWhere,
  type Script,
  type ScriptedRun,
  votesOf,
  WRITTEN,
} from '../testing/scripted-job.js';
import type { AgentResult } from './effects.js';
import type { EngineVersion } from './engine-version.js';
import { replayEngine } from './replay-engine.js';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const REMEMBER: InputOptions = { query: 'Remember that my favorite color is blue' };
const WISH = answer('I’ll remember that your favorite color is blue.', {
  evidence: [],
  memory_write: { key: COLOR, value: 'blue' },
});
const DECLINED: AgentResult = { kind: 'declined', reason: 'not mine', time_ms: 1 };
const BEGIN = ['JOB_ACCEPTED', 'SNAPSHOTS_PINNED', 'QCP_CLASSIFIED'];
const COUNCIL = ['COUNCIL_VOTE', 'COUNCIL_VOTE', 'COUNCIL_VOTE', 'COUNCIL_DECISION'];
const END = ['BRAINSTATE_TICK', 'REFLECTIVE_LOG_WRITTEN', 'JOB_SEALED'];
const TURN = ['ROUTER_DECISION', 'AGENT_INVOKED', 'AGENT_OUTPUT'];

describe('a job', () => {
  it('with an answer is exactly its 13 events, in order', () => {
    expect(runScripted(engineInput()).types).toEqual([...BEGIN, ...TURN, ...COUNCIL, ...END]);
  });

  it('that writes to memory asks for the write after its output and before the council', () => {
    const { types } = runScripted(engineInput(REMEMBER), { turns: [WISH] });
    expect(types).toEqual([...BEGIN, ...TURN, 'MEMORY_WRITE_REQUESTED', 'MEMORY_WRITE_RESULT', ...COUNCIL, ...END]);
  });

  it('leaves one sequence index free for its SEM_PUT, between request and result', () => {
    const { events, asked } = runScripted(engineInput(REMEMBER), { turns: [WISH] });
    expect(only(events, 'MEMORY_WRITE_REQUESTED').sequenceIndex).toBe(6);
    expect(asked.find(({ kind }) => kind === 'write_memory')).toEqual({
      kind: 'write_memory',
      node_id: 'agent:operational_v1',
      key: COLOR,
      value: 'blue',
      timestamp: MOMENT,
      key_revision: 0,
      sequence_index: 7,
    });
    expect(only(events, 'MEMORY_WRITE_RESULT').sequenceIndex).toBe(8);
    expect(events.map(({ sequenceIndex }) => sequenceIndex)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15,
    ]);
  });

  it('counts in its seal the events of its own stream, and so not its SEM_PUT', () => {
    for (const [options, script] of [
      [{}, {}],
      [REMEMBER, { turns: [WISH] }],
      [{}, { turns: [DECLINED] }],
    ] as const) {
      const { events } = runScripted(engineInput(options), script);
      expect(events.at(-1)).toMatchObject({ type: 'JOB_SEALED', data: { count: events.length - 1 } });
    }
  });

  it('has ids that anyone can compute from its seed', () => {
    const { events } = runScripted(engineInput({ jobSeed: 'demo' }));
    const log = logOf(events);
    const output = only(events, 'AGENT_OUTPUT');
    const votes = events.filter(({ type }) => type === 'COUNCIL_VOTE');
    const idOf = ({ type, sequenceIndex }: (typeof events)[number]): string => sha256(`demo:${sequenceIndex}:${type}`);
    expect(log.job_id).toBe(`job:${sha256('demo:job').slice(0, 32)}`);
    expect(log.query_id).toBe(`q-${sha256('demo:query').slice(0, 32)}`);
    const second = Number(BigInt(`0x${sha256('demo').slice(0, 8)}`) % 31_536_000n);
    const seeded = (n: number): string => new Date(Date.UTC(2025, 0, 1) + second * 1000 + n).toISOString();
    expect(log.log_id).toBe(sha256(`${log.query_id}${seeded(11)}demo`));
    expect(only(events, 'BRAINSTATE_TICK').data['brainstate_id']).toBe(`bs:demo:${seeded(10)}`);
    expect(log.event_refs).toEqual([idOf(output), ...votes.map(idOf)]);
    expect(only(events, 'COUNCIL_DECISION').data).toMatchObject({
      candidate_event_id: idOf(output),
      votes: votes.map(idOf),
    });
  });

  it('names in its log the hash of what it read, sorted by key', () => {
    const evidence = ['b', 'a'].map((key) => ({ key, revision: 3, value: `${key}!`, timestamp: MOMENT }));
    const { events } = runScripted(engineInput(), { turns: [answer('a! b!', { evidence })] });
    const rows = `[["a","a!","${MOMENT}"],["b","b!","${MOMENT}"]]`;
    expect(logOf(events).sem_snapshot_hash).toBe(sha256(rows));
  });

  it('asks its agent within the limits of its snapshot', () => {
    const { asked } = runScripted(engineInput({ limits: { agent_timeout_ms: 77 } }));
    expect(asked[0]).toMatchObject({ kind: 'invoke_agent', agent_id: 'profile_agent', timeout_ms: 77 });
  });
});

describe('a job without an answer', () => {
  it('that misses says which key, and is no case for the council', () => {
    const run = runScripted(engineInput(), { turns: [{ kind: 'miss', key: COLOR, time_ms: 1 }] });
    expect(run.types).toEqual([...BEGIN, ...TURN, 'sem_miss', ...END]);
    expect(only(run.events, 'sem_miss').data).toMatchObject({ key: COLOR, user_id: 'user_tuff' });
    expectError(run, 'SEM_NOT_FOUND', `SEM lookup for key ${COLOR} returned empty.`);
  });

  it('that every module declines ends in ROUTER_NO_MATCH, each tried once', () => {
    const run = runScripted(engineInput(), { turns: [DECLINED] });
    expect(run.types).toEqual([
      ...BEGIN,
      ...TURN,
      'ROUTER_DECISION',
      'router_miss',
      'AGENT_INVOKED',
      'AGENT_OUTPUT',
      'ROUTER_DECISION',
      'router_miss',
      ...END,
    ]);
    expect(logOf(run.events).agents_invoked).toEqual(['profile_agent', 'generic_agent']);
    expectError(run, 'ROUTER_NO_MATCH');
    expect(logOf(run.events).notices).toEqual([]);
  });

  it('that has no language engine is not routed anywhere else', () => {
    const run = runScripted(engineInput({ query: 'Write a poem about rain' }), {
      turns: [{ kind: 'unavailable', reason: 'no engine', time_ms: 1 }],
    });
    expect(run.types).toEqual([...BEGIN, ...TURN, ...END]);
    expectError(run, 'LLM_SERVICE_DOWN', 'no engine');
  });

  it('that only a module without its language engine would serve asks nobody but the fallback, and says what is missing', () => {
    const run = runScripted(engineInput({ query: 'Write a poem about rain', mute: ['creative_agent'] }), {
      turns: [DECLINED],
    });
    const nobody = ['ROUTER_DECISION', 'router_miss'];
    expect(run.types).toEqual([...BEGIN, ...nobody, 'AGENT_INVOKED', 'AGENT_OUTPUT', ...nobody, ...END]);
    expect(logOf(run.events).agents_invoked).toEqual(['generic_agent']);
    expect(run.events.find(({ type }) => type === 'ROUTER_DECISION')!.data).toMatchObject({
      agent_id: 'generic_agent',
      route_trace: { candidates: [], excluded: [{ node_id: 'agent:creative_v1', reason: 'not_callable' }] },
    });
    expectError(run, 'LLM_SERVICE_DOWN', 'no language engine is configured (MACE_LLM_PROVIDERS)');
    expect(logOf(run.events).notices).toEqual([]);
  });

  it('that only a module with too little trust would serve says so, from which trust on it is asked, and who raises it', () => {
    expectError(
      runScripted(engineInput(DISTRUSTED), { turns: [DECLINED] }),
      'ROUTER_NO_MATCH',
      'agent:poet_v1 serves this with a trust of 0.2495, and is asked from 0.4502 on; mace trust post agent:poet_v1 MANUAL_OVERRIDE asks the council to raise it',
    );
    const before = runScripted(engineInput({ ...DISTRUSTED, engineVersion: 3 }), { turns: [DECLINED] });
    expectError(before, 'LLM_SERVICE_DOWN', 'no language engine is configured (MACE_LLM_PROVIDERS)');
    const trusted = { ...DISTRUSTED, others: [{ ...POET, apt: 0.4502 }] };
    expect(resultOf(runScripted(engineInput(trusted), { turns: [answer('Rain.')] })).agent_id).toBe('poet_agent');
    const failing = runScripted(engineInput(trusted), { turns: [{ kind: 'timeout' }, DECLINED] });
    expect(codes(logOf(failing.events).notices)).toEqual(['LLM_SERVICE_DOWN']);
  });

  it('that another module serves is answered by that one, whatever else is not callable', () => {
    const run = runScripted(engineInput({ query: 'Write a poem about rain', mute: ['creative_agent'] }), {
      turns: [answer('Rain.')],
    });
    expect(resultOf(run)).toMatchObject({ status: 'completed', final_answer: 'Rain.', agent_id: 'generic_agent' });
  });

  it('whose agents time out one after another has the first timeout as its error, and the rest as notices', () => {
    const run = runScripted(engineInput(), { turns: [{ kind: 'timeout' }] });
    expect(run.types.filter((type) => type === 'AGENT_TIMEOUT')).toHaveLength(2);
    expectError(run, 'AGENT_TIMEOUT', 'profile_agent gave no answer within 10000 ms');
    expect(codes(logOf(run.events).notices)).toEqual(['AGENT_TIMEOUT', 'ROUTER_NO_MATCH']);
  });

  it('that crashes before its fallback declines has the crash as its error', () => {
    const run = runScripted(engineInput(), { turns: [{ kind: 'exception', reason: 'TypeError' }, DECLINED] });
    expect(only(run.events, 'AGENT_EXCEPTION').data).toMatchObject({ agent_id: 'profile_agent', reason: 'TypeError' });
    expectError(run, 'AGENT_ERROR', 'profile_agent raised an exception');
    expect(codes(logOf(run.events).notices)).toEqual(['ROUTER_NO_MATCH']);
  });

  it('that could not write says so, and is no case for the council', () => {
    const fault = { ok: false, error_code: 'SEM_WRITE_FAIL', attempts: 2, fault: 'StoreUnavailableError' } as const;
    const run = runScripted(engineInput(REMEMBER), { turns: [WISH], writes: [fault] });
    expect(run.types).toEqual([
      ...BEGIN,
      ...TURN,
      'MEMORY_WRITE_REQUESTED',
      'RETRY_ATTEMPT',
      'MEMORY_WRITE_RESULT',
      'MEMORY_WRITE_FAIL',
      ...END,
    ]);
    expect(only(run.events, 'RETRY_ATTEMPT').data).toEqual({ attempt_index: 1, key: COLOR });
    expectError(run, 'SEM_WRITE_FAIL');
  });

  it('that had no room to write is not retried', () => {
    const full = { ok: false, error_code: 'STORAGE_FULL', attempts: 1, fault: 'StorageFullError' } as const;
    const run = runScripted(engineInput(REMEMBER), { turns: [WISH], writes: [full] });
    expect(run.types).not.toContain('RETRY_ATTEMPT');
    expectError(run, 'STORAGE_FULL');
  });

  it('whose write a rule of privacy refuses is blocked, not failed', () => {
    const refused = { ok: false, error_code: 'PRIVACY_BLOCKED', attempts: 1, fault: 'PII_DETECTED' } as const;
    const run = runScripted(engineInput(REMEMBER), { turns: [WISH], writes: [refused] });
    expect(logOf(run.events)).toMatchObject({ status: 'blocked', error: { error_code: 'PRIVACY_BLOCKED' } });
  });

  it('that holds personal data is closed before anything is classified, routed or asked', () => {
    const finding = { pii_type: 'us_ssn', category: 'high', pii_hash: 'h' };
    const run = runScripted(engineInput({ accepted: { blocked: true, pii_findings: [finding] } }));
    expect(run.types).toEqual([
      'JOB_ACCEPTED',
      'SNAPSHOTS_PINNED',
      'PII_FLAGGED',
      'REFLECTIVE_LOG_WRITTEN',
      'JOB_SEALED',
    ]);
    expect(run.asked).toEqual([]);
    expect(only(run.events, 'PII_FLAGGED').data).toEqual({ ...finding, redaction_reason: 'PII_DETECTED' });
    expect(logOf(run.events)).toMatchObject({ status: 'blocked', agents_invoked: [], agent_id: null });
    expectError(run, 'PRIVACY_BLOCKED', 'the query holds personal data: us_ssn');
  });
});

describe('a question that memory cannot answer', () => {
  const KEY = 'world/fact/capital_of_mars/definition';
  const FACT: InputOptions = { query: 'What is the capital of Mars?', router: { ask_engine_on_miss: true } };
  const MISS: AgentResult = { kind: 'miss', key: KEY, time_ms: 1 };
  const BY_MODEL = answer('It has none.', { evidence: [] });
  const MISSED = [...BEGIN, ...TURN, 'sem_miss'];

  it('goes on to the fallback where the policy says so: the miss is on record, and its answer is told alone', () => {
    const run = runScripted(engineInput(FACT), { turns: [MISS, BY_MODEL] });
    const next = ['ROUTER_DECISION', 'router_miss', 'AGENT_INVOKED', 'AGENT_OUTPUT'];
    expect(run.types).toEqual([...MISSED, ...next, ...COUNCIL, ...END]);
    expect(only(run.events, 'sem_miss').data).toMatchObject({ key: KEY });
    expect(resultOf(run)).toMatchObject({
      final_answer: 'It has none.',
      agent_id: 'generic_agent',
      user_message: 'It has none.',
      notices: [],
    });
    const asked = run.asked.filter((effect) => effect.kind === 'invoke_agent');
    expect(asked.map(({ agent_id, after_miss }) => [agent_id, after_miss])).toEqual([
      ['knowledge_agent', undefined],
      ['generic_agent', true],
    ]);
  });

  it('ends there where the policy says nothing', () => {
    const run = runScripted(engineInput({ query: FACT.query! }), { turns: [MISS, BY_MODEL] });
    expect(run.types).toEqual([...MISSED, ...END]);
  });

  it('ends there where it is about the asking person, whatever the policy says', () => {
    const run = runScripted(engineInput({ router: FACT.router! }), {
      turns: [{ kind: 'miss', key: COLOR, time_ms: 1 }, BY_MODEL],
    });
    expect(run.types).toEqual([...MISSED, ...END]);
    expect(logOf(run.events)).toMatchObject({ status: 'failed', error: { error_code: 'SEM_NOT_FOUND' } });
  });

  it('is still the miss where nobody else answers, with what failed then as a later notice', () => {
    const down: AgentResult = { kind: 'unavailable', reason: 'r', failures: [], time_ms: 1 };
    for (const [then, code] of [
      [DECLINED, 'ROUTER_NO_MATCH'],
      [down, 'LLM_SERVICE_DOWN'],
    ] as const) {
      const log = logOf(runScripted(engineInput(FACT), { turns: [MISS, then] }).events);
      expect(log).toMatchObject({ status: 'failed', final_answer: null, error: { error_code: 'SEM_NOT_FOUND' } });
      expect(codes(log.notices)).toEqual([code]);
    }
  });
});

describe('a job that still answers', () => {
  it('after a timeout gives the answer, and the timeout’s message to the person', () => {
    const run = runScripted(engineInput(), { turns: [{ kind: 'timeout' }, answer('From elsewhere, blue.')] });
    expect(logOf(run.events)).toMatchObject({
      status: 'completed',
      final_answer: 'From elsewhere, blue.',
      error: null,
      agent_id: 'generic_agent',
      route_reason: 'fallback_generic',
      agents_invoked: ['profile_agent', 'generic_agent'],
    });
    expect(codes(logOf(run.events).notices)).toEqual(['AGENT_TIMEOUT']);
    expect(resultOf(run)).toMatchObject({
      user_message: goldenMessage('AGENT_TIMEOUT'),
      final_answer: 'From elsewhere, blue.',
    });
  });

  it('after a write that took a retry has no notice', () => {
    const run = runScripted(engineInput(REMEMBER), { turns: [WISH], writes: [{ ...WRITTEN, attempts: 2 }] });
    expect(run.types).toContain('RETRY_ATTEMPT');
    expect(logOf(run.events)).toMatchObject({ status: 'completed', notices: [] });
  });

  it('with little confidence says so to the person and keeps the answer', () => {
    const run = runScripted(engineInput(), {
      turns: [answer('Perhaps blue.', { confidence: 0.1 })],
      votes: [votesOf([true, true, true], 0.7)],
    });
    expect(logOf(run.events)).toMatchObject({ status: 'completed', final_confidence: 0.4 });
    expect(resultOf(run)).toMatchObject({
      user_message: goldenMessage('LOW_CONFIDENCE'),
      final_answer: 'Perhaps blue.',
    });
  });

  it('has both notices, the earlier one shown, where it was late and unsure', () => {
    const run = runScripted(engineInput(), {
      turns: [{ kind: 'timeout' }, answer('Perhaps blue.', { confidence: 0.1 })],
      votes: [votesOf([true, true, true], 0.7)],
    });
    expect(codes(logOf(run.events).notices)).toEqual(['AGENT_TIMEOUT', 'LOW_CONFIDENCE']);
    expect(resultOf(run).user_message).toBe(goldenMessage('AGENT_TIMEOUT'));
  });
});

describe('the second try after a timeout', () => {
  const jobSeed = seedWhere(retryAllowed);
  const CRASHED: AgentResult = { kind: 'exception', reason: 'RangeError' };

  it('that crashes is on record, and the turn’s failure stays its timeout, once', () => {
    const input = engineInput({ jobSeed });
    const run = runScripted(input, { turns: [{ kind: 'timeout' }, CRASHED, answer('From elsewhere, blue.')] });
    expect(run.types.slice(4, 9)).toEqual([
      'AGENT_INVOKED',
      'AGENT_TIMEOUT',
      'RETRY_ATTEMPT',
      'AGENT_EXCEPTION',
      'ROUTER_DECISION',
    ]);
    expect(only(run.events, 'AGENT_EXCEPTION').data).toMatchObject({ retry: 1, reason: 'RangeError' });
    expect(codes(logOf(run.events).notices)).toEqual(['AGENT_TIMEOUT']);
    expect(resultOf(run)).toMatchObject({
      user_message: goldenMessage('AGENT_TIMEOUT'),
      final_answer: 'From elsewhere, blue.',
    });
    expect(only(run.events, 'BRAINSTATE_TICK').data['recent_failures']).toMatchObject([{ reason: 'timeout' }]);
    expect(replayEngine(input, run.events).difference).toBeNull();
  });

  it('that oversteps leaves the notice of the timeout with the answer', () => {
    const violation: AgentResult = { kind: 'violation', action: 'sem.read', evidence_ref: null };
    const input = engineInput({ jobSeed });
    const run = runScripted(input, { turns: [{ kind: 'timeout' }, violation, answer('From elsewhere, blue.')] });
    expect(codes(logOf(run.events).notices)).toEqual(['AGENT_TIMEOUT']);
    expect(replayEngine(input, run.events).difference).toBeNull();
  });

  it('that succeeds leaves its events and no notice', () => {
    const run = runScripted(engineInput({ jobSeed }), { turns: [{ kind: 'timeout' }, answer()] });
    expect(run.types).toContain('RETRY_ATTEMPT');
    expect(logOf(run.events)).toMatchObject({ status: 'completed', notices: [] });
  });

  it('is the only crash of a turn that says so', () => {
    const run = runScripted(engineInput({ jobSeed }), { turns: [CRASHED, DECLINED] });
    expect(only(run.events, 'AGENT_EXCEPTION').data).not.toHaveProperty('retry');
  });
});

describe('a language engine that fails (spec/decisions.md "An engine that fails")', () => {
  const POEM = { query: 'Write a poem about rain' };
  const [RETRIED, ONCE] = [seedWhere(retryAllowed), seedWhere((seed) => !retryAllowed(seed))];
  const failing = (...failures: readonly ProviderFailure[]): AgentResult => ({
    kind: 'unavailable',
    reason: 'in words',
    failures,
    time_ms: 2,
  });
  const DOWN = failing({ provider: 'a.example', kind: 'server_error', status: 500 });
  const NOBODY = ['ROUTER_DECISION', 'router_miss', ...END];
  const told = (run: ScriptedRun) =>
    run.events.filter(({ type }) => type === 'LLM_SERVICE_DOWN').map(({ data }) => data);
  const afterTurn = (run: ScriptedRun) => run.types.slice(run.types.indexOf('AGENT_INVOKED') + 1);

  it('is on record with every attempt, asked once more where the seed allows it, and routed around', () => {
    const run = runScripted(engineInput({ ...POEM, jobSeed: RETRIED }), { turns: [DOWN, DOWN, answer('Rain.')] });
    expect(run.types.slice(3)).toEqual([
      'ROUTER_DECISION',
      'AGENT_INVOKED',
      'LLM_SERVICE_DOWN',
      'RETRY_ATTEMPT',
      'LLM_SERVICE_DOWN',
      'ROUTER_DECISION',
      'router_miss',
      'AGENT_INVOKED',
      'AGENT_OUTPUT',
      ...COUNCIL,
      ...END,
    ]);
    const place = { iteration: 1, attempt: 1, agent_id: 'creative_agent', node_id: 'agent:creative_v1' };
    const attempts = [{ provider: 'a.example', class: 'server_error', status: 500 }];
    expect(told(run)).toEqual([
      { ...place, attempts, time_ms: 2 },
      { ...place, retry: 1, attempts, time_ms: 2 },
    ]);
    expect(resultOf(run)).toMatchObject({ final_answer: 'Rain.', user_message: goldenMessage('LLM_SERVICE_DOWN') });
    expect(codes(logOf(run.events).notices)).toEqual(['LLM_SERVICE_DOWN']);
    expect(only(run.events, 'BRAINSTATE_TICK').data['recent_failures']).toMatchObject([{ reason: 'language engine' }]);
  });

  it('is asked once where the seed allows no retry', () => {
    const run = runScripted(engineInput({ ...POEM, jobSeed: ONCE }), { turns: [DOWN, answer('Rain.')] });
    expect(told(run)).toHaveLength(1);
    expect(run.types).not.toContain('RETRY_ATTEMPT');
  });

  it('leaves no notice where it is back at the second try', () => {
    const run = runScripted(engineInput({ ...POEM, jobSeed: RETRIED }), { turns: [DOWN, answer('Rain.')] });
    expect(afterTurn(run).slice(0, 3)).toEqual(['LLM_SERVICE_DOWN', 'RETRY_ATTEMPT', 'AGENT_OUTPUT']);
    expect(logOf(run.events)).toMatchObject({ status: 'completed', notices: [] });
  });

  it('ends the job where nobody else serves, with what each attempt came to', () => {
    const run = runScripted(engineInput({ ...POEM, jobSeed: ONCE }), { turns: [DOWN] });
    expect(logOf(run.events).agents_invoked).toEqual(['creative_agent', 'generic_agent']);
    expectError(run, 'LLM_SERVICE_DOWN', 'no language engine answered: a.example (server_error 500)');
    expect(codes(logOf(run.events).notices)).toEqual(['LLM_SERVICE_DOWN', 'ROUTER_NO_MATCH']);
  });

  it('that refuses the key is an AUTH_ERROR, asked once and counted by nobody', () => {
    const refused = failing({ provider: 'a.example', kind: 'auth', status: 401 });
    const run = runScripted(engineInput({ ...POEM, jobSeed: RETRIED }), { turns: [refused, DECLINED] });
    expect(afterTurn(run)).toEqual([
      'AGENT_OUTPUT',
      'AUTH_ERROR',
      'ROUTER_DECISION',
      'router_miss',
      'AGENT_INVOKED',
      'AGENT_OUTPUT',
      ...NOBODY,
    ]);
    expectError(run, 'LLM_SERVICE_DOWN', 'no language engine answered: a.example (auth 401)');
    expect(only(run.events, 'BRAINSTATE_TICK').data['recent_failures']).toBeUndefined();
  });

  it.each([
    ['answers 429', { kind: 'rate_limited', status: 429 }],
    ['hangs', { kind: 'timeout' }],
    ['cannot be reached', { kind: 'connection' }],
  ] as const)('is out of service where the last of the list %s, and refused keys before it are told too', (_, last) => {
    const turn = failing({ provider: 'a.example', kind: 'auth' }, { provider: 'b.example', ...last });
    const run = runScripted(engineInput({ ...POEM, jobSeed: ONCE }), { turns: [turn, DECLINED] });
    expect(afterTurn(run).slice(0, 2)).toEqual(['LLM_SERVICE_DOWN', 'AUTH_ERROR']);
    expect(only(run.events, 'AUTH_ERROR').data).toMatchObject({ provider: 'a.example' });
  });

  it.each(['rejected', 'wrong_shape', 'too_large', 'malformed'] as const)(
    'that took the question and gave no answer to it (%s) is not out of service, and is routed around',
    (kind) => {
      const run = runScripted(engineInput({ ...POEM, jobSeed: RETRIED }), {
        turns: [failing({ provider: 'a.example', kind }), DECLINED],
      });
      expect(afterTurn(run).slice(0, 2)).toEqual(['AGENT_OUTPUT', 'ROUTER_DECISION']);
      expectError(run, 'LLM_SERVICE_DOWN');
    },
  );

  it('leaves the timeout as the failure of a turn whose second try found it out of service', () => {
    const run = runScripted(engineInput({ ...POEM, jobSeed: RETRIED }), {
      turns: [{ kind: 'timeout' }, DOWN, DECLINED],
    });
    expect(afterTurn(run).slice(0, 4)).toEqual([
      'AGENT_TIMEOUT',
      'RETRY_ATTEMPT',
      'LLM_SERVICE_DOWN',
      'ROUTER_DECISION',
    ]);
    expect(told(run)).toMatchObject([{ retry: 1 }]);
    expectError(run, 'AGENT_TIMEOUT');
  });

  it('ends a job of engine 1 as that engine did', () => {
    const run = runScripted(engineInput({ ...POEM, engineVersion: 1, jobSeed: RETRIED }), { turns: [DOWN] });
    expect(run.types).toEqual([...BEGIN, ...TURN, ...END]);
    expectError(run, 'LLM_SERVICE_DOWN', 'in words');
  });
});

describe('a write that an answer asks for', () => {
  const REJECTED = votesOf([false, false, true], 0.2);
  const written = ({ asked }: ScriptedRun) =>
    asked.flatMap((effect) => (effect.kind === 'write_memory' ? [effect.value] : []));

  it('is done once, however often the answer is repaired, and is evidence each time', () => {
    const input = engineInput(REMEMBER);
    const run = runScripted(input, { turns: [WISH], votes: [REJECTED, REJECTED, votesOf([true, true, true])] });
    expect(written(run)).toEqual(['blue']);
    expect(run.types.filter((type) => type === 'MEMORY_WRITE_REQUESTED')).toHaveLength(1);
    const seen = run.asked.flatMap((effect) => (effect.kind === 'collect_votes' ? [effect.candidate.evidence] : []));
    expect(seen).toEqual(Array(3).fill([{ key: COLOR, revision: 0, value: 'blue', timestamp: MOMENT }]));
    expect(replayEngine(input, run.events).difference).toBeNull();
  });

  it('is done again where a repair changed what it says, and where that was taken back', () => {
    const other = answer('Noted.', { evidence: [], memory_write: { key: COLOR, value: 'red' } });
    const run = runScripted(engineInput(REMEMBER), { turns: [WISH, other, WISH], votes: [REJECTED] });
    expect(written(run)).toEqual(['blue', 'red', 'blue']);
  });
});

describe('a result that no rule is about', () => {
  it('is a crash, and the job ends without asking its agent again', () => {
    const weird = { kind: 'weird' } as unknown as AgentResult;
    const run = runScripted(engineInput(), { turns: [weird] });
    expect(run.events.filter(({ type }) => type === 'AGENT_EXCEPTION').map(({ data }) => data['reason'])).toEqual([
      'a result of unknown kind',
      'a result of unknown kind',
    ]);
    expectError(run, 'AGENT_ERROR');
  });
});

describe('the council’s word in a job', () => {
  const REJECTED = votesOf([false, false, true], 0.2);

  it('sends a rejected answer back with every change that was asked for', () => {
    const run = runScripted(engineInput(), { votes: [REJECTED, votesOf([true, true, true])] });
    expect(run.types).toEqual([...BEGIN, ...TURN, ...COUNCIL, 'AGENT_INVOKED', 'AGENT_OUTPUT', ...COUNCIL, ...END]);
    const [first, second] = run.asked.filter((effect) => effect.kind === 'invoke_agent');
    expect(first).toMatchObject({ suggested_changes: [] });
    expect(second).toMatchObject({ suggested_changes: ['Try harder.', 'Try harder.'] });
    expect(logOf(run.events)).toMatchObject({ status: 'completed', repair_loops: 1 });
  });

  it('ends the job after three repairs', () => {
    const run = runScripted(engineInput(), { votes: [REJECTED] });
    expect(run.asked.filter(({ kind }) => kind === 'invoke_agent')).toHaveLength(4);
    expect(logOf(run.events).repair_loops).toBe(3);
    expectError(run, 'REPAIR_LIMIT_EXCEEDED', 'the critics refused 4 answers');
  });

  it.each([
    ['a tie', votesOf([true, false])],
    ['a score under the threshold', votesOf([true, true, true], 0.5)],
    ['nobody voting', collected([])],
  ])('is a deadlock at %s', (_, votes) => {
    expectError(runScripted(engineInput(), { votes: [votes] }), 'COUNCIL_DEADLOCK');
  });

  it('that it cannot give is asked of people, after the tick and before the log, by the request’s own id', () => {
    const run = runScripted(engineInput({ jobSeed: 'demo' }), { votes: [votesOf([true, false])] });
    expect(run.types.slice(-4)).toEqual([
      'BRAINSTATE_TICK',
      'ACTION_REQUESTED',
      'REFLECTIVE_LOG_WRITTEN',
      'JOB_SEALED',
    ]);
    const { data, sequenceIndex } = only(run.events, 'ACTION_REQUESTED');
    const seed = `after:human-review:${sha256(`demo:${sequenceIndex}:ACTION_REQUESTED`)}`;
    const { job_id, user_id } = engineInput({ jobSeed: 'demo' }).accepted;
    const outputs = run.events.filter(({ type }) => type === 'AGENT_OUTPUT');
    expect(data).toEqual({
      request_id: `ar-${sha256(`${seed}:0:actionrequest`).slice(0, 32)}`,
      job_id,
      user_id,
      reason: 'COUNCIL_DEADLOCK',
      candidate_event_ids: outputs.map((event) => sha256(`demo:${event.sequenceIndex}:AGENT_OUTPUT`)),
    });
  });

  it('rewards attention only where it approved', () => {
    const attention = (script: Script) =>
      only(runScripted(engineInput(), script).events, 'BRAINSTATE_TICK').data['attention'];
    expect(attention({})).toEqual({ attention_gain: 0.675, explore_bias: 0.1755, reward_signal: 0.8 });
    expect(attention({ votes: [REJECTED] })).toMatchObject({ reward_signal: 0 });
    expect(attention({ turns: [DECLINED] })).toMatchObject({ reward_signal: 0 });
  });

  it('on an answer that was dropped does not reward the failure that came after', () => {
    const run = runScripted(engineInput(), { turns: [answer(), DECLINED], votes: [REJECTED] });
    expect(only(run.events, 'BRAINSTATE_TICK').data['attention']).toMatchObject({ reward_signal: 0 });
  });
});

describe('iterations', () => {
  it('end at their cap, whoever could still be asked', () => {
    const run = runScripted(engineInput({ limits: { max_iterations: 1 } }), { turns: [DECLINED] });
    expect(run.types.filter((type) => type === 'ROUTER_DECISION')).toHaveLength(1);
    expectError(run, 'ROUTER_NO_MATCH', 'profile_agent declined: not mine');
  });

  it('where everybody declined end with the first one’s reason, told as the first one asked', () => {
    const refused = { kind: 'declined', reason: 'the number is too large', time_ms: 1 } as const;
    const run = runScripted(engineInput({ query: '9^9^9^9' }), { turns: [refused, { ...refused, reason: 'later' }] });
    const asked = run.events.filter(({ type }) => type === 'AGENT_INVOKED').map(({ data }) => data['agent_id']);
    expect(asked).toEqual(['math_agent', 'generic_agent']);
    expectError(run, 'ROUTER_NO_MATCH', 'math_agent declined: the number is too large');
    expect(resultOf(run).agent_id).toBe('math_agent');
  });

  it('say in plain what they ended with and when they were asked for, from engine 3 on', () => {
    const plain = (engineVersion: EngineVersion, turns: Script['turns']) => {
      const { error_code, created_at } = logOf(runScripted(engineInput({ engineVersion }), { turns }).events);
      return [error_code, created_at];
    };
    expect(plain(3, [DECLINED])).toEqual(['ROUTER_NO_MATCH', MOMENT]);
    expect(plain(3, [answer()])).toEqual([null, MOMENT]);
    expect(plain(2, [DECLINED])).toEqual([undefined, undefined]);
  });

  it('are traced by the event that decided each', () => {
    const { events } = runScripted(engineInput({ jobSeed: 's' }), { turns: [DECLINED] });
    const decisions = events.filter(({ type }) => type === 'ROUTER_DECISION');
    expect(logOf(events).iteration_trace).toEqual(
      decisions.map((event, i) => ({
        iteration: i + 1,
        router_event: sha256(`s:${event.sequenceIndex}:ROUTER_DECISION`),
        agent_id: event.data['agent_id'],
      })),
    );
  });

  it('with no module at all end in ROUTER_NO_MATCH without asking anybody', () => {
    const run = runScripted(engineInput({ agents: [] }));
    expect(run.types).toEqual([...BEGIN, 'ROUTER_DECISION', 'router_miss', ...END]);
    expectError(run, 'ROUTER_NO_MATCH', 'no enabled module serves this intent');
  });
});

function logOf(events: ScriptedRun['events']): ReflectiveLogWritten {
  return only(events, 'REFLECTIVE_LOG_WRITTEN').data as unknown as ReflectiveLogWritten;
}

function resultOf({ events }: ScriptedRun) {
  return jobResult(events, 'seed-1', 'trace-x');
}

function codes(notices: readonly ErrorEnvelope[]): readonly string[] {
  return notices.map((notice) => notice.error_code);
}

function expectError(run: ScriptedRun, code: ErrorCode, developerMessage?: string): void {
  const log = logOf(run.events);
  expect(log).toMatchObject({ final_answer: null, final_confidence: 0, error: { error_code: code } });
  expect(resultOf(run)).toMatchObject({ user_message: goldenMessage(code), final_answer: null });
  if (developerMessage !== undefined) expect(log.error!.developer_message).toBe(developerMessage);
}
