import { InstalledAgents } from '../../apps/api/src/jobs/agents.js';
import { type AnyBody, type Caller, JobApp } from '../support/job-app.js';

/** Seed 001, ReflectiveLog A, with the forms it gives; then what Stage-1 adds (spec/decisions.md "ReflectiveLog"). */
const FIELDS: readonly (readonly [field: string, form: (value: unknown) => boolean])[] = [
  ['log_id', isHash],
  ['created_at', isTime],
  ['source', (value) => ['system', 'user_request', 'api'].includes(value as string)],
  ['query_id', (value) => /^q-[0-9a-f]{32}$/.test(value as string)],
  ['query_text_hash', isHash],
  ['qcp_summary', (value) => hasExactly(value, ['depth_level', 'intent_tags', 'urgency'])],
  ['agents_invoked', (value) => isList(value, (agent) => typeof agent === 'string')],
  ['agent_outputs', (value) => isList(value, isOutput)],
  ['council_votes', (value) => isList(value, isVote)],
  ['final_answer', (value) => typeof value === 'string'],
  ['final_confidence', (value) => isShare(value)],
  ['repair_loops', (value) => Number.isInteger(value) && (value as number) >= 0],
  ['cache_hit', (value) => typeof value === 'boolean'],
  ['sem_snapshot_hash', isHash],
  ['runtime_metrics', (value) => hasExactly(value, ['per_agent_time_ms', 'tokens_used', 'total_time_ms'])],
  ['system_version', (value) => /^mace-\d+\.\d+\.\d+/.test(value as string)],
  ['signature', isHash],
  ['job_id', (value) => /^job:[0-9a-f]{32}$/.test(value as string)],
  ['job_seed', (value) => value === 'fields'],
  ['snapshots', (value) => Object.values(value as object).length === 6 && Object.values(value as object).every(isHash)],
  ['iteration_trace', (value) => isList(value, (entry) => typeof entry === 'object')],
  ['event_refs', (value) => isList(value, isHash)],
  ['replayable', (value) => value === true],
  ['missing_artifacts', (value) => Array.isArray(value) && value.length === 0],
];
/** What stands beside a log and is appended to (seed 001, ReflectiveLog C). */
const BESIDE = ['amendments', 'user_feedback', 'ground_truth_label', 'audit_tags'];

let app: JobApp;
let tuff: Caller;
let log: AnyBody;
let path: string;

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('TUFF');
  const { body } = await tuff.ask("What is Ohm's law?", { job_seed: 'fields' });
  path = `/reflective-logs/${body.log_id}`;
  log = (await tuff.get(path)).body;
});
afterAll(() => app.dispose());

describe('a ReflectiveLog', () => {
  it('has the immutable fields of the seed and of Stage-1, what stands beside it, and nothing else', () => {
    expect(Object.keys(log).sort()).toEqual([...FIELDS.map(([field]) => field), ...BESIDE].sort());
  });

  it.each(FIELDS)('holds %s in its form', (field, form) => {
    expect([log[field as keyof AnyBody], form(log[field as keyof AnyBody])]).toEqual([
      log[field as keyof AnyBody],
      true,
    ]);
  });

  it.each([...FIELDS.map(([field]) => field), ...BESIDE])(
    'refuses a PATCH of %s, and nothing changes',
    async (field) => {
      const before = await app.jobTexts();
      const { status, body } = await tuff.send('PATCH', path, { [field]: log[field as keyof AnyBody] ?? null });
      expect([status, body.error_code]).toEqual([409, 'IMMUTABLE_FIELD']);
      const named = BESIDE.includes(field) ? 'a written log' : field;
      expect(body.developer_message).toBe(`ImmutableFieldError: Cannot modify ${named}. Create an Amendment instead.`);
      expect((await tuff.get(path)).body).toEqual(log);
      expect(await app.jobTexts()).toEqual(before);
    },
  );
});

describe('what a log can hold', () => {
  it('is an output of 16,000 characters; a longer one is a crash of its agent, and in no event', async () => {
    const say = async (text: string, job_seed: string) => {
      app.parts.app.nest.get(InstalledAgents).set('math_agent', {
        agent_id: 'math_agent',
        external: false,
        answer: () =>
          Promise.resolve({
            kind: 'answer',
            text,
            confidence: 1,
            reasoning_trace: [],
            evidence: [],
            memory_write: null,
          }),
      });
      return tuff.ask('What is 2 + 2?', { job_seed });
    };
    const tooLong = await say('z'.repeat(16_001), 'too-long');
    expect([tooLong.status, tooLong.body.error_code]).toEqual([500, 'AGENT_ERROR']);
    const events = await app.stream(`job-${tooLong.body.meta['job_id'] as string}`);
    expect(events.find(({ type }) => type === 'AGENT_EXCEPTION')!.data).toMatchObject({
      agent_id: 'math_agent',
      reason: 'its text has 16001 characters; at most 16000',
    });
    expect(JSON.stringify(events)).not.toContain('zzz');

    const longest = await say('z'.repeat(16_000), 'longest');
    const id = longest.body.job_id ?? (longest.body.meta['job_id'] as string);
    expect((await tuff.get(`/jobs/${id}/log`)).body.agent_outputs[0]!['text']).toHaveLength(16_000);
  });

  it('is an amendment of 16 KB and a note of 4,000 characters', async () => {
    const ada = await app.caller('ada', ['admin'], ['otp']);
    const answers = [
      await tuff.send('POST', `${path}/amendments`, { effect: 'note', changes: { x: 'y'.repeat(16_400) } }),
      await tuff.send('POST', `/jobs/${log.job_id}/feedback`, { upvote: true, comment: 'y'.repeat(4001) }),
      await ada.send('POST', `${path}/audit_tags`, { tag: 'long', note: 'y'.repeat(4001) }),
    ];
    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual(
      answers.map(() => [400, 'INVALID_INPUT']),
    );
  });
});

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && new Date(value).toISOString() === value;
}

function isShare(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1 && Math.round(value * 1e9) / 1e9 === value;
}

function isList(value: unknown, item: (value: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(item);
}

function hasExactly(value: unknown, names: readonly string[]): boolean {
  return JSON.stringify(Object.keys(value as object).sort()) === JSON.stringify([...names].sort());
}

/** Seed 001, ReflectiveLog B; event_id and evidence are ours. */
function isOutput(value: unknown): boolean {
  const own = ['agent_id', 'confidence', 'reasoning_trace', 'text', 'time_ms', 'tokens'];
  return hasExactly(value, [...own, 'event_id', 'evidence']);
}

function isVote(value: unknown): boolean {
  const own = ['approve', 'council_agent_id', 'note', 'scores', 'suggested_changes'];
  return hasExactly(value, [...own, 'confidence', 'event_id']);
}
