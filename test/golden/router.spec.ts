import { goldenMessage } from '#lib/kernel';
import { detect } from '#lib/privacy';
import { routeStage0, STAGE0_DEFAULTS, type Stage0Config, type Stage0Refusal, type Stage0Route } from '#lib/routing';

import { type Caller, JobApp } from '../support/job-app.js';

/** Seed 001: group C (T12 to T15) and Router section 8 (R-T1 to R-T7). */
const route = (query_text: string, user_id?: string, config: Partial<Stage0Config> = {}): Stage0Route | Stage0Refusal =>
  routeStage0({ query_text, user_id }, { ...STAGE0_DEFAULTS, ...config }, (text) => detect(text).length > 0);

const message = (result: Stage0Route | Stage0Refusal): string | null =>
  'error_code' in result ? goldenMessage(result.error_code) : null;

/** The same queries, as a program sends them. */
describe('the Stage-0 router, golden, through the API', () => {
  let app: JobApp;
  let tuff: Caller;
  beforeAll(async () => {
    app = await JobApp.open();
    tuff = await app.caller('tuff');
  });
  afterAll(() => app.dispose());

  it.each([
    ['T12_ROUTER_MATH, R-T1', 'Integrate x^2 dx', 'math_agent', 'math_detect'],
    ['T13_ROUTER_FACT, R-T2', "What is Ohm's law?", 'knowledge_agent', 'fact_lookup'],
    ['T14_ROUTER_PROFILE_LOOKUP, R-T3', 'What is my favorite color?', 'profile_agent', 'profile_lookup'],
    ['T15_ROUTER_FALLBACK', 'Do something weird and unknown', 'generic_agent', 'fallback'],
    ['R-T4', 'Write a short poem about rains', 'creative_agent', 'creative'],
    ['R-T5', 'Remember my favorite food is pizza', 'operational_agent', 'command'],
    ['R-T6', 'hmm', 'generic_agent', 'fallback'],
  ])('%s', async (_name, query_text, agent_id, route_reason) => {
    const user = agent_id === 'profile_agent' ? { user_id: 'tuff' } : {};
    const { status, body } = await tuff.send('POST', '/router/route', { query_text, ...user });
    expect([status, body]).toEqual([200, { agent_id, route_reason, depth: 1 }]);
  });

  it('T14_ROUTER_PROFILE_LOOKUP: the profile agent reads the key of the person who asks', async () => {
    const key = 'user/profile/user_tuff/favorite_color';
    await tuff.send('PUT', `/sem/${key}`, { value: 'blue' });
    const { body } = await tuff.ask('What is my favorite color?', { job_seed: 't14' });
    const output = (await app.stream(`job-${body.job_id}`)).find(({ type }) => type === 'AGENT_OUTPUT')!;
    expect(output.data).toMatchObject({ agent_id: 'profile_agent', evidence: [{ key }] });
  });

  it('R-T7', async () => {
    const { status, body } = await tuff.send('POST', '/router/route', { query_text: 'My SSN is 123-45-6789' });
    expect([status, body]).toMatchObject([
      403,
      {
        error_code: 'PRIVACY_BLOCKED',
        user_message: 'I can’t store or repeat that kind of sensitive personal information.',
      },
    ]);
    expect(body).not.toHaveProperty('agent_id');
  });
});

describe('the Stage-0 router, golden', () => {
  it('T12_ROUTER_MATH: an integral goes to the math agent', () => {
    expect(route('Integrate x^2 dx')).toEqual({ agent_id: 'math_agent', route_reason: 'math_detect', depth: 1 });
  });

  it('T13_ROUTER_FACT: a question of fact goes to the knowledge agent', () => {
    expect(route("What is Ohm's law?")).toEqual({ agent_id: 'knowledge_agent', route_reason: 'fact_lookup', depth: 1 });
  });

  it('T14_ROUTER_PROFILE_LOOKUP: a known user’s own fact goes to the profile agent', () => {
    const expected = { agent_id: 'profile_agent', route_reason: 'profile_lookup', depth: 1 };
    expect(route('What is my favorite color?', 'user_tuff')).toEqual(expected);
  });

  it('T15_ROUTER_FALLBACK: what nobody serves goes to the generic agent, or is refused in the golden words', () => {
    const query = 'Do something weird and unknown';
    expect(route(query)).toEqual({ agent_id: 'generic_agent', route_reason: 'fallback', depth: 1 });
    const refusal = route(query, undefined, { enable_generic: false });
    expect(refusal).toEqual({ error_code: 'ROUTER_NO_MATCH' });
    expect(message(refusal)).toBe('I don’t have a module for that type of request yet.');
  });

  it('R-T1: "Integrate x^2 dx" is math', () => {
    expect(route('Integrate x^2 dx')).toEqual({ agent_id: 'math_agent', route_reason: 'math_detect', depth: 1 });
  });

  it('R-T2: "What is Ohm\'s law?" is a fact', () => {
    expect(route("What is Ohm's law?")).toEqual({ agent_id: 'knowledge_agent', route_reason: 'fact_lookup', depth: 1 });
  });

  it('R-T3: "What is my favorite color?" of a user is a profile lookup', () => {
    const expected = { agent_id: 'profile_agent', route_reason: 'profile_lookup', depth: 1 };
    expect(route('What is my favorite color?', 'user_tuff')).toEqual(expected);
  });

  it('R-T4: "Write a short poem about rains" is creative', () => {
    const expected = { agent_id: 'creative_agent', route_reason: 'creative', depth: 1 };
    expect(route('Write a short poem about rains')).toEqual(expected);
  });

  it('R-T5: "Remember my favorite food is pizza" is a command', () => {
    const expected = { agent_id: 'operational_agent', route_reason: 'command', depth: 1 };
    expect(route('Remember my favorite food is pizza')).toEqual(expected);
  });

  it('R-T6: an unknown request falls back to the generic agent', () => {
    expect(route('hmm')).toEqual({ agent_id: 'generic_agent', route_reason: 'fallback', depth: 1 });
  });

  it('R-T7: a message with a social security number is blocked and routed nowhere', () => {
    const result = route('My SSN is 123-45-6789');
    expect(result).toEqual({ error_code: 'PRIVACY_BLOCKED' });
    expect(result).not.toHaveProperty('agent_id');
    expect(message(result)).toBe('I can’t store or repeat that kind of sensitive personal information.');
  });
});
