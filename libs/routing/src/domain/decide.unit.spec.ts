import fc from 'fast-check';
import { canonicalize } from '#lib/kernel';
import { type RoutingModule } from './candidates.js';
import { decide, type RouterDecision, type RouterInput } from './decide.js';
import { classifyQuery } from './qcp.js';
import { BUILT_IN_MODULES, ROUTER_DEFAULTS } from './router-constants.js';
import { leastTrust } from './scoring.js';

const aModule = (node_id: string, rest: Partial<RoutingModule> = {}): RoutingModule => ({
  node_id,
  agent_id: 'math_agent',
  apt: 0.7,
  status: 'healthy',
  dependency_unhealthy: false,
  capabilities: ['math'],
  policy: { allowed_actions: [], forbidden_actions: [] },
  ...rest,
});

const builtIn: readonly RoutingModule[] = BUILT_IN_MODULES.map((one) => ({
  ...one,
  apt: 0.7,
  status: 'healthy',
  dependency_unhealthy: false,
}));

const input = (rest: Partial<RouterInput> = {}): RouterInput => ({
  classification: { intent_tags: ['math'] },
  modules: builtIn,
  attention: { attention_gain: 0.5, explore_bias: 0.15 },
  goals: [],
  budget: { token_budget: 2048, max_depth_allowed: 2 },
  constants: ROUTER_DEFAULTS,
  excluded: [],
  has_user: true,
  ...rest,
});

const decided = (rest: Partial<RouterInput> = {}): RouterDecision => {
  const decision = decide(input(rest));
  if ('error_code' in decision) throw new Error(decision.error_code);
  return decision;
};

const refused = (rest: Partial<RouterInput>): string | null => {
  const decision = decide(input(rest));
  return 'error_code' in decision ? decision.error_code : null;
};

const reasons = (rest: Partial<RouterInput>) =>
  Object.fromEntries(decide(input(rest)).route_trace.excluded.map(({ node_id, reason }) => [node_id, reason]));

describe('a Stage-1 decision', () => {
  it('scores by availability, goal and exploration, and tells every intermediate value', () => {
    const goals = [
      { type: 'answer', priority: 0.5, status: 'active' },
      { type: 'answer', priority: 0.9, status: 'paused' },
      { type: 'save', priority: 1, status: 'active' },
    ];
    // 0.7 * 0.7 + 0.2 * 0.5 + 0.1 * 0.15 * 0.3
    expect(decided({ goals })).toEqual({
      agent_id: 'math_agent',
      node_id: 'agent:math_v1',
      route_reason: 'math_detect',
      depth: 1,
      token_budget: 1536,
      route_trace: {
        intent: 'math',
        intent_tags: ['math'],
        attention_gain: 0.5,
        explore_bias: 0.15,
        candidates: [
          {
            node_id: 'agent:math_v1',
            agent_id: 'math_agent',
            apt: 0.7,
            status: 'healthy',
            dependency_unhealthy: false,
            availability: 0.7,
            goal_priority: 0.5,
            exploration: 0.045,
            final_score: 0.5945,
            eligible: true,
          },
        ],
        excluded: [],
        excluded_total: 0,
        fallback: [],
        selected: 'agent:math_v1',
      },
    });
  });

  it.each([
    ['healthy', false, 0.8],
    ['healthy', true, 0.4],
    ['degraded', false, 0.48],
    ['degraded', true, 0.24],
  ] as const)(
    'takes a module that is %s, dependency unhealthy %s, for %d available',
    (status, dependency_unhealthy, avail) => {
      const modules = [aModule('agent:a', { apt: 0.8, status, dependency_unhealthy })];
      expect(decide(input({ modules })).route_trace.candidates[0]?.availability).toBe(avail);
    },
  );

  it('multiplies trust, status and dependencies in the order of recorded decisions, which another would round otherwise', () => {
    const modules = [aModule('agent:a', { apt: 0.447485375, status: 'degraded', dependency_unhealthy: true })];
    const constants = { ...ROUTER_DEFAULTS, dependency_unhealthy_factor: 0.7 };
    expect(decide(input({ modules, constants })).route_trace.candidates[0]?.availability).toBe(0.187943857);
  });

  it('keeps a module out for each reason and names it', () => {
    const modules = [
      aModule('agent:down', { status: 'offline' }),
      aModule('agent:locked', { status: 'quarantined' }),
      aModule('agent:weak', { apt: 0.14 }),
      aModule('agent:hollow', { not_callable: 'no_implementation' }),
      aModule('agent:barred', { policy: { allowed_actions: [], forbidden_actions: ['compute'] } }),
      aModule('agent:narrow', { policy: { allowed_actions: ['sem.read'], forbidden_actions: [] } }),
      aModule('agent:failed'),
      aModule('agent:good', { apt: 0.15 }),
    ];
    expect(reasons({ modules, excluded: ['agent:failed'] })).toEqual({
      'agent:down': 'offline',
      'agent:locked': 'quarantined',
      'agent:weak': 'low_availability',
      'agent:hollow': 'not_callable',
      'agent:barred': 'forbidden_action',
      'agent:narrow': 'forbidden_action',
      'agent:failed': 'excluded',
    });
    expect(reasons({ classification: { intent_tags: ['profile'] }, has_user: false })).toEqual({
      'agent:profile_v1': 'missing_role',
    });
  });

  it('never takes a module that nothing can call, however trusted, and no fallback that nothing can call', () => {
    const hollow = { apt: 1, not_callable: 'no_language_engine' } as const;
    expect(decided({ modules: [aModule('agent:a', hollow), aModule('agent:b')] }).node_id).toBe('agent:b');
    const generic = aModule('agent:g', { agent_id: 'generic_agent', capabilities: ['general'], ...hollow });
    expect(refused({ modules: [aModule('agent:a', hollow), generic] })).toBe('ROUTER_NO_MATCH');
  });

  it('does not select below MIN_SCORE though it scores', () => {
    const modules = [
      aModule('agent:a', { apt: 0.26 }),
      aModule('agent:g', { agent_id: 'generic_agent', capabilities: ['general'] }),
    ];
    const decision = decided({ modules });
    expect(decision.route_trace.candidates[0]).toMatchObject({ final_score: 0.1931, eligible: false });
    expect(decision).toMatchObject({ agent_id: 'generic_agent', route_reason: 'fallback_generic', depth: 0 });
  });

  it('scores at most ten, the most trusted first', () => {
    const modules = Array.from({ length: 30 }, (_, at) =>
      aModule(`agent:m${String(at).padStart(2, '0')}`, { apt: 0.5 + (at % 15) / 100 }),
    );
    const { candidates } = decided({ modules }).route_trace;
    expect(candidates.map(({ node_id }) => node_id)).toEqual(
      ['14', '29', '13', '28', '12', '27', '11', '26', '10', '25'].map((at) => `agent:m${at}`),
    );
  });

  it('lets the lower node_id win where score and trust are equal', () => {
    expect(decided({ modules: [aModule('agent:b'), aModule('agent:a'), aModule('agent:Z')] }).node_id).toBe('agent:Z');
  });

  it('lets higher trust win where scores tie within epsilon', () => {
    const modules = [aModule('agent:a', { apt: 0.5 }), aModule('agent:b', { apt: 1, dependency_unhealthy: true })];
    expect(decided({ modules }).node_id).toBe('agent:b');
  });

  it('lets a goal outweigh trust', () => {
    const modules = [
      aModule('agent:trusted'),
      aModule('agent:planner', { apt: 0.6, capabilities: ['math', 'strategy'] }),
    ];
    expect(decided({ modules }).node_id).toBe('agent:trusted');
    const goals = [{ type: 'plan', priority: 0.8, status: 'active' }];
    expect(decided({ modules, goals }).node_id).toBe('agent:planner');
  });

  it.each([
    [0.19, 2048, 2, 0],
    [0.2, 2048, 5, 1],
    [0.5, 255, 2, 0],
    [0.5, 256, 2, 1],
    [0.5, 2048, 2, 1],
    [0.4, 2048, 3, 1],
    [1, 2048, 3, 3],
    [0.7, 2048, 10, 7],
    [0.9, 2048, 0, 0],
  ])(
    'goes, at attention %d with %d tokens and depth %d allowed, to depth %d',
    (attention_gain, token_budget, max_depth_allowed, depth) => {
      const attention = { attention_gain, explore_bias: 0.15 };
      expect(decided({ attention, budget: { token_budget, max_depth_allowed } }).depth).toBe(depth);
    },
  );

  it.each([
    [0, 2048, 1024],
    [0.5, 2048, 1536],
    [1, 2048, 2048],
    [0.675, 2048, 1715],
    [0, 200, 128],
    [0, 100, 100],
    [0.5, 0, 0],
  ])('grants, at attention %d of %d tokens, %d', (attention_gain, token_budget, granted) => {
    const attention = { attention_gain, explore_bias: 0.15 };
    expect(decided({ attention, budget: { token_budget, max_depth_allowed: 2 } }).token_budget).toBe(granted);
  });

  it('goes to the generic agent at depth 0 where nothing serves, and to nobody where that is out too', () => {
    expect(decided({ classification: { intent_tags: ['general'] } })).toMatchObject({
      agent_id: 'generic_agent',
      node_id: 'agent:generic_v1',
      route_reason: 'fallback_generic',
      depth: 0,
    });
    expect(decided({ excluded: ['agent:math_v1'] })).toMatchObject({ agent_id: 'generic_agent', depth: 0 });
    expect(refused({ excluded: ['agent:math_v1', 'agent:generic_v1'] })).toBe('ROUTER_NO_MATCH');
    expect(refused({ modules: [] })).toBe('ROUTER_NO_MATCH');
  });

  it('routes nothing where the intent is PII, and nothing without its snapshots', () => {
    expect(refused({ classification: { intent_tags: ['math', 'pii'] } })).toBe('PRIVACY_BLOCKED');
    expect(reasons({ classification: { intent_tags: ['math', 'pii'] } })).toEqual({ 'agent:math_v1': 'pii_intent' });
    expect(refused({ modules: null })).toBe('ROUTER_NO_SNAPSHOT');
    expect(refused({ constants: null })).toBe('ROUTER_NO_SNAPSHOT');
  });

  it.each(BUILT_IN_MODULES.map(({ agent_id, capabilities }) => [agent_id, capabilities] as const))(
    'finds %s for each of its intents %j',
    (agent_id, capabilities) => {
      for (const intent of capabilities)
        expect(decided({ classification: { intent_tags: [intent] } }).agent_id).toBe(agent_id);
    },
  );

  it('takes NaN and infinite numbers for nothing', () => {
    const goals = [{ type: 'answer', priority: Infinity, status: 'active' }];
    const modules = [aModule('agent:nan', { apt: NaN }), aModule('agent:a')];
    const attention = { attention_gain: 0.5, explore_bias: NaN };
    expect(canonicalize(decided({ goals, modules, attention }))).toContain('"final_score":0.49');
  });
});

const anyModule: fc.Arbitrary<RoutingModule> = fc.record({
  node_id: fc.stringMatching(/^agent:[a-zA-Z]{1,2}$/),
  agent_id: fc.constantFrom('math_agent', 'knowledge_agent', 'generic_agent'),
  apt: fc.double({ min: 0, max: 1, noNaN: true }),
  status: fc.constantFrom('healthy', 'degraded', 'offline', 'quarantined'),
  dependency_unhealthy: fc.boolean(),
  capabilities: fc.subarray(['math', 'fact', 'general', 'strategy']),
  policy: fc.record({ allowed_actions: fc.constant([]), forbidden_actions: fc.subarray(['compute', 'sem.read']) }),
});

const anyInput = fc.record({
  classification: fc.record({ intent_tags: fc.subarray(['math', 'fact', 'profile'], { minLength: 1 }) }),
  modules: fc.uniqueArray(anyModule, { selector: ({ node_id }) => node_id, maxLength: 30 }),
  attention: fc.record({
    attention_gain: fc.double({ min: 0, max: 1, noNaN: true }),
    explore_bias: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  goals: fc.array(
    fc.record({
      type: fc.constantFrom('answer', 'plan', 'verify'),
      priority: fc.double({ min: 0, max: 1, noNaN: true }),
      status: fc.constantFrom('active', 'paused'),
    }),
  ),
  budget: fc.record({ token_budget: fc.nat(4096), max_depth_allowed: fc.nat(5) }),
  constants: fc.constant(ROUTER_DEFAULTS),
  excluded: fc.array(fc.stringMatching(/^agent:[a-z]$/)),
  has_user: fc.boolean(),
});

describe('the least trust with which a module is asked', () => {
  const constants = ROUTER_DEFAULTS;

  it.each<[number, Partial<RoutingModule>]>([
    [0.4502, { status: 'degraded' }],
    [0.9003, { status: 'degraded', dependency_unhealthy: true }],
    [0.2701, {}],
    [0.25, { status: 'degraded', agent_id: 'generic_agent' }],
  ])('is %s of a module %j', (least, rest) => {
    expect(leastTrust(aModule('agent:a', rest), constants, input())).toBe(least);
  });

  it('is none of a module that is offline', () => {
    expect(leastTrust(aModule('agent:a', { status: 'offline' }), constants, input())).toBeNull();
  });

  it('is where the decision turns, whatever the module and the state of the job', () => {
    fc.assert(
      fc.property(anyModule, anyInput, (module, one) => {
        const serving = {
          ...module,
          agent_id: 'math_agent',
          capabilities: ['math'],
          policy: aModule('agent:a').policy,
        };
        const least = leastTrust(serving, constants, one);
        const isAsked = (apt: number): boolean => {
          const modules = [{ ...serving, apt }];
          const tags = { intent_tags: ['math'] };
          return !('error_code' in decide({ ...one, modules, classification: tags, excluded: [] }));
        };
        expect(isAsked(least ?? 0)).toBe(least !== null);
        expect(isAsked((least ?? 1) - 2e-4)).toBe(false);
      }),
    );
  });
});

describe('any Stage-1 decision', () => {
  it('is the same for the modules in any order', () => {
    fc.assert(
      fc.property(
        anyInput.chain((one) =>
          fc.tuple(fc.constant(one), fc.shuffledSubarray(one.modules, { minLength: one.modules.length })),
        ),
        ([one, shuffled]) => {
          expect(canonicalize(decide({ ...one, modules: shuffled }))).toBe(canonicalize(decide(one)));
        },
      ),
    );
  });

  it('stays within its bounds, never takes who is excluded, and changes nothing when canonicalised', () => {
    fc.assert(
      fc.property(anyInput, (one) => {
        const decision = decide(one);
        expect(JSON.parse(canonicalize(decision))).toEqual(decision);
        for (const { final_score } of decision.route_trace.candidates)
          expect(final_score >= 0 && final_score <= 1).toBe(true);
        if ('error_code' in decision) return;
        expect(one.excluded).not.toContain(decision.node_id);
        expect(decision.depth).toBeLessThanOrEqual(one.budget.max_depth_allowed);
        expect(decision.token_budget).toBeLessThanOrEqual(one.budget.token_budget);
        const chosen = one.modules.find(({ node_id }) => node_id === decision.node_id);
        expect(['healthy', 'degraded']).toContain(chosen?.status);
      }),
    );
  });

  it('is a decision for every query of a user over the built-in modules', () => {
    fc.assert(
      fc.property(fc.string(), (query_text) => {
        const classification = classifyQuery({ query_text, has_user: true });
        expect('error_code' in decide(input({ classification }))).toBe(false);
      }),
    );
  });
});
