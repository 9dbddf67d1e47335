import { routeStage0, STAGE0_DEFAULTS, type Stage0Config } from './stage0.js';

const never = (): boolean => false;
const route = (query_text: string, user_id?: string, config: Partial<Stage0Config> = {}) =>
  routeStage0({ query_text, user_id }, { ...STAGE0_DEFAULTS, ...config }, never);

describe('the Stage-0 rules', () => {
  it.each([
    ['What is my favorite color?', 'user_tuff', 'profile_agent', 'profile_lookup', 'enable_profile', 'fact_lookup'],
    ['Σ of it', undefined, 'math_agent', 'math_detect', 'enable_math', 'fallback'],
    ['  WHAT IS entropy ', undefined, 'knowledge_agent', 'fact_lookup', 'enable_fact', 'fallback'],
    ['open the door', undefined, 'operational_agent', 'command', 'enable_command', 'fallback'],
    ['a joke', undefined, 'creative_agent', 'creative', 'enable_creative', 'fallback'],
    ['planets', undefined, 'strategy_agent', 'strategy', 'enable_strategy', 'fallback'],
    ['excited', undefined, 'knowledge_agent', 'search', 'enable_search', 'fallback'],
  ] as const)(
    'take %j of %s to %s as the seed says, and to the next where switched off',
    (query, user, agent_id, reason, toggle, next) => {
      expect(route(query, user)).toEqual({ agent_id, route_reason: reason, depth: 1 });
      expect(route(query, user, { [toggle]: false })).toMatchObject({ route_reason: next, depth: 1 });
    },
  );

  it('take an absent or empty user_id for no user', () => {
    expect(route('What is my favorite color?')).toMatchObject({ route_reason: 'fact_lookup' });
    expect(route('What is my favorite color?', '')).toMatchObject({ route_reason: 'fact_lookup' });
  });

  it('ask for privacy before anything else, unless that is switched off', () => {
    const query = { query_text: '2+2' };
    expect(routeStage0(query, STAGE0_DEFAULTS, () => true)).toEqual({ error_code: 'PRIVACY_BLOCKED' });
    expect(routeStage0(query, { ...STAGE0_DEFAULTS, enable_privacy: false }, () => true)).toMatchObject({
      agent_id: 'math_agent',
    });
  });

  it('have no match where the generic agent is switched off', () => {
    expect(route('hello', undefined, { enable_generic: false })).toEqual({ error_code: 'ROUTER_NO_MATCH' });
  });
});
