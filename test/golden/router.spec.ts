import { goldenMessage } from '#lib/kernel';
import { detect } from '#lib/privacy';
import { routeStage0, STAGE0_DEFAULTS, type Stage0Config, type Stage0Refusal, type Stage0Route } from '#lib/routing';

/** Seed 001: group C (T12 to T15) and Router section 8 (R-T1 to R-T7). */
const route = (query_text: string, user_id?: string, config: Partial<Stage0Config> = {}): Stage0Route | Stage0Refusal =>
  routeStage0({ query_text, user_id }, { ...STAGE0_DEFAULTS, ...config }, (text) => detect(text).length > 0);

const message = (result: Stage0Route | Stage0Refusal): string | null =>
  'error_code' in result ? goldenMessage(result.error_code) : null;

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
