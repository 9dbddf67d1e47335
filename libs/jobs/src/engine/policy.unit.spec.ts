import { type ErrorEnvelope, retryAllowed } from '#lib/kernel';

import type { PlacedFinding } from '../domain/episode-redaction.js';
import type { ReflectiveLogWritten } from '../domain/jobs.events.js';
import {
  answer,
  COLOR,
  engineInput,
  EVIDENCE,
  type InputOptions,
  MOMENT,
  only,
  runScripted,
  seedWhere,
  type ScriptedRun,
} from '../testing/scripted-job.js';
import type { AgentResult } from './effects.js';

const BEGIN = ['JOB_ACCEPTED', 'SNAPSHOTS_PINNED', 'QCP_CLASSIFIED'];
const COUNCIL = ['COUNCIL_VOTE', 'COUNCIL_VOTE', 'COUNCIL_VOTE', 'COUNCIL_DECISION'];
const END = ['BRAINSTATE_TICK', 'REFLECTIVE_LOG_WRITTEN', 'JOB_SEALED'];
const AGAIN = ['ROUTER_DECISION', 'router_miss', 'AGENT_INVOKED', 'AGENT_OUTPUT'];

const READ: AgentResult = { kind: 'violation', action: 'sem.read', evidence_ref: EVIDENCE };
const DECLINED: AgentResult = { kind: 'declined', reason: 'not mine', time_ms: 1 };
const WISH = answer('I’ll remember it.', { evidence: [], memory_write: { key: COLOR, value: 'secret blue' } });
const REMEMBER: InputOptions = { query: 'Remember that my favorite color is blue' };
/** Of a module that may do something, but not write. */
const NO_WRITES = { policies: { profile_agent: { allowed_actions: ['sem.read'], forbidden_actions: [] } } };

describe('a job whose agent oversteps its policy', () => {
  it('goes on without the module, and the answer of another comes without a notice', () => {
    const run = runScripted(engineInput(), { turns: [READ, answer('From elsewhere, blue.')] });
    expect(run.types).toEqual([
      ...BEGIN,
      'ROUTER_DECISION',
      'AGENT_INVOKED',
      'POLICY_VIOLATION',
      ...AGAIN,
      ...COUNCIL,
      ...END,
    ]);
    const { job_id } = engineInput().accepted;
    expect(only(run.events, 'POLICY_VIOLATION').data).toEqual({
      job_id,
      iteration: 1,
      attempt: 1,
      agent_id: 'profile_agent',
      node_id: 'agent:profile_v1',
      action: 'sem.read',
      evidence_ref: EVIDENCE,
    });
    expect(run.events.filter(({ type }) => type === 'ROUTER_DECISION')[1]!.data).toMatchObject({
      agent_id: 'generic_agent',
      excluded: ['agent:profile_v1'],
    });
    expect(logOf(run)).toMatchObject({ status: 'completed', notices: [], final_answer: 'From elsewhere, blue.' });
  });

  it('is blocked with PERMISSION_DENIED where nobody else answers', () => {
    const run = runScripted(engineInput(), { turns: [READ, DECLINED] });
    expect(logOf(run)).toMatchObject({ status: 'blocked', final_answer: null });
    expectError(run, 'PERMISSION_DENIED', 'profile_agent tried sem.read, which it was not allowed');
    expect(logOf(run).notices.map(({ error_code }) => error_code)).toEqual(['ROUTER_NO_MATCH']);
  });

  it('has the earlier failure as its error, where one diverted it before', () => {
    const run = runScripted(engineInput(), { turns: [{ kind: 'exception', reason: 'x' }, READ] });
    expectError(run, 'AGENT_ERROR');
    expect(logOf(run)).toMatchObject({ status: 'failed' });
    expect(logOf(run).notices.map(({ error_code }) => error_code)).toEqual(['PERMISSION_DENIED', 'ROUTER_NO_MATCH']);
  });

  it('leaves the notice of an earlier timeout beside the answer, and its own not', () => {
    const turns: AgentResult[] = [{ kind: 'timeout' }, READ, answer('From elsewhere, blue.')];
    const jobSeed = seedWhere((seed) => !retryAllowed(seed));
    const input = engineInput({ jobSeed });
    const profile = input.modules.find(({ agent_id }) => agent_id === 'profile_agent')!;
    const other = { ...profile, node_id: 'agent:profile_v2', agent_id: 'other_agent' };
    const run = runScripted({ ...input, modules: [...input.modules, other] }, { turns });
    expect(run.types.filter((type) => /^(AGENT_TIMEOUT|POLICY_VIOLATION)$/.test(type))).toHaveLength(2);
    expect(logOf(run)).toMatchObject({ status: 'completed' });
    expect(logOf(run).notices.map(({ error_code }) => error_code)).toEqual(['AGENT_TIMEOUT']);
  });

  it('in the second try after a timeout has both on record, and no third try', () => {
    const jobSeed = seedWhere(retryAllowed);
    const run = runScripted(engineInput({ jobSeed }), { turns: [{ kind: 'timeout' }, READ, DECLINED] });
    expect(run.types.slice(4, 8)).toEqual(['AGENT_INVOKED', 'AGENT_TIMEOUT', 'RETRY_ATTEMPT', 'POLICY_VIOLATION']);
    expect(run.asked.map((effect) => (effect as { retry?: number }).retry)).toEqual([0, 1, 0]);
  });

  it('says nothing of evidence that could not be kept', () => {
    const run = runScripted(engineInput(), { turns: [{ ...READ, evidence_ref: null }, DECLINED] });
    expect(only(run.events, 'POLICY_VIOLATION').data).not.toHaveProperty('evidence_ref');
  });

  it('tells BrainState that the module failed', () => {
    const run = runScripted(engineInput(), { turns: [READ, DECLINED] });
    expect(only(run.events, 'BRAINSTATE_TICK').data['recent_failures']).toMatchObject([
      { node_id: 'agent:profile_v1', reason: 'policy violation' },
    ]);
  });
});

describe('an answer that asks for a write', () => {
  it('of a module that may not write is a violation: nothing is prepared or written, and the wish is evidence', () => {
    const run = runScripted(engineInput(NO_WRITES), { turns: [WISH, DECLINED] });
    expect(run.types).toEqual([
      ...BEGIN,
      'ROUTER_DECISION',
      'AGENT_INVOKED',
      'AGENT_OUTPUT',
      'POLICY_VIOLATION',
      ...AGAIN,
      'ROUTER_DECISION',
      'router_miss',
      ...END,
    ]);
    expect(run.asked.map(({ kind }) => kind)).toEqual(['invoke_agent', 'keep_evidence', 'invoke_agent']);
    expect(run.asked[1]).toEqual({
      kind: 'keep_evidence',
      iteration: 1,
      attempt: 1,
      agent_id: 'profile_agent',
      node_id: 'agent:profile_v1',
      action: 'sem.write',
      target: { key: COLOR, value: 'secret blue' },
    });
    expect(JSON.stringify(only(run.events, 'POLICY_VIOLATION').data)).not.toContain('blue');
    expect(only(run.events, 'POLICY_VIOLATION').data).toMatchObject({ action: 'sem.write', evidence_ref: EVIDENCE });
    expectError(run, 'PERMISSION_DENIED');
  });

  it('is a violation too where the fact is known already: asking is what is not allowed', () => {
    const known = answer('It is blue.', { memory_write: { key: COLOR, value: 'blue' } });
    const run = runScripted(engineInput(NO_WRITES), { turns: [known, DECLINED] });
    expect(run.types).toContain('POLICY_VIOLATION');
  });

  it.each([
    ['another person’s key', 'user/profile/user_bob/favorite_color'],
    ['a fact of the world', 'world/fact/pi/value'],
    ['a name that is no key', 'my color'],
  ])('is a violation too, though its module may write, where it is about %s', (_, key) => {
    const wish = answer('Noted.', { evidence: [], memory_write: { key, value: 'red' } });
    const run = runScripted(engineInput(REMEMBER), { turns: [wish, DECLINED] });
    expect(run.asked.map(({ kind }) => kind)).toEqual(['invoke_agent', 'keep_evidence', 'invoke_agent']);
    expect(run.asked[1]).toMatchObject({ action: 'sem.write', target: { key, value: 'red' } });
    expect(only(run.events, 'POLICY_VIOLATION').data).toMatchObject({
      node_id: 'agent:operational_v1',
      action: 'sem.write',
    });
    expectError(run, 'PERMISSION_DENIED', 'operational_agent tried sem.write, which it was not allowed');
  });

  it('names the module that asked, and is blocked where that is out of service by now', () => {
    const blocked = { ok: false, error_code: 'PERMISSION_DENIED', attempts: 1, fault: 'MODULE_BLOCKED' } as const;
    const run = runScripted(engineInput(REMEMBER), { turns: [WISH], writes: [blocked] });
    expect(run.asked.find(({ kind }) => kind === 'write_memory')).toMatchObject({ node_id: 'agent:operational_v1' });
    expect(only(run.events, 'MEMORY_WRITE_RESULT').data).toEqual(blocked);
    expect(only(run.events, 'MEMORY_WRITE_FAIL').data).toMatchObject({ fault: 'MODULE_BLOCKED', attempts: 1 });
    expect(run.types).not.toContain('RETRY_ATTEMPT');
    expect(logOf(run).status).toBe('blocked');
    expectError(run, 'PERMISSION_DENIED', 'the memory write failed: MODULE_BLOCKED');
  });
});

describe('the episodic summary of a job', () => {
  const mail = 'write to john@example.com';
  const fact = { key: COLOR, revision: 0, value: mail, timestamp: MOMENT };
  /** The same fact twice is two references: it is consolidated. */
  const twice = answer('Here it is.', { evidence: [fact, { ...fact, revision: 1 }] });
  const found: PlacedFinding = {
    item: 0,
    pointer: '',
    in: 'value',
    type: 'email',
    category: 'medium',
    start: 9,
    end: 25,
    score: 0.9,
    rule: 'email.address',
    pii_hash: 'h',
  };

  it('is asked about only where there is one', () => {
    expect(runScripted(engineInput()).asked.map(({ kind }) => kind)).not.toContain('find_personal');
  });

  it('is redacted by what was found, hash and reason kept, and keeps the findings for a replay', () => {
    const run = runScripted(engineInput(), { turns: [twice], personal: [[found]] });
    expect(run.asked.at(-1)).toEqual({ kind: 'find_personal', values: [mail] });
    const { data } = only(run.events, 'episodic_summary');
    expect(data).toMatchObject({
      items: [{ value: 'write to [redacted:email]', references: 2 }],
      redacted: [{ pii_type: 'email', category: 'medium', pii_hash: 'h', redaction_reason: 'PII_DETECTED' }],
      redactions: [found],
    });
    expect(JSON.stringify(data)).not.toContain('john');
  });

  it('says nothing of redactions where nothing was found', () => {
    const { data } = only(runScripted(engineInput(), { turns: [twice] }).events, 'episodic_summary');
    expect(data).toMatchObject({ items: [{ value: mail }] });
    expect(Object.keys(data)).not.toContain('redacted');
  });
});

function logOf({ events }: ScriptedRun): ReflectiveLogWritten {
  return only(events, 'REFLECTIVE_LOG_WRITTEN').data as unknown as ReflectiveLogWritten;
}

function expectError(run: ScriptedRun, error_code: string, developer_message?: string): void {
  const { error } = logOf(run) as { error: ErrorEnvelope };
  expect(error).toMatchObject({ error_code, ...(developer_message === undefined ? {} : { developer_message }) });
}
