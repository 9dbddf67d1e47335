import { ROUTER_DEFAULTS } from '#lib/routing';

import { policyFault, policyTrial } from './policy-trials.js';

// What is general falls to the generic agent whatever it scores, where it is available.
const ALL = 'command, creative, fact(, general)?, math, profile, search, strategy, verification';

describe('a router policy', () => {
  it('under which every built-in agent is selected for what it serves is sound', () => {
    expect(policyTrial('router', {})).toBeNull();
    // 0.7 x (0.7 trust x 0.6 degraded): the most that a beginner scores for certain.
    expect(policyTrial('router', { min_score: 0.294 })).toBeNull();
    expect(policyTrial('router', { min_availability: 0.42 })).toBeNull();
  });

  it.each<[string, object]>([
    ['min_score', { min_score: 0.295 }],
    [
      'min_score under weights that reach it in no way',
      { min_score: 0.95, weights: { availability: 0.7, goal_priority: 0.2, exploration: 0 } },
    ],
    ['min_availability', { min_availability: 0.43 }],
    ['weights', { weights: { ...ROUTER_DEFAULTS.weights, availability: 0.4 } }],
    ['status factors', { status_factors: { ...ROUTER_DEFAULTS.status_factors, degraded: 0.1 } }],
  ])('that lets nobody be selected by its %s is found out', (_, body) => {
    expect(policyTrial('router', body as never)).toMatch(
      new RegExp(`could be selected for ${ALL}: lower|min_score 0.95 is over what the weights can give`),
    );
  });

  it('that asks of one intent what no agent for it may do is found out by that intent', () => {
    const math = { ...ROUTER_DEFAULTS.intents.math, actions: ['compute', 'sem.write'] };
    const body = { intents: { ...ROUTER_DEFAULTS.intents, math } };
    expect(policyTrial('router', body as never)).toMatch(/could be selected for math: /);
  });
});

describe('policies of router and trust', () => {
  const trust = { built_in_apt: 0.4, decay: 0.03, approval_gain: 0.1, healthy_min_apt: 0.5, min_trust_events: 2 };

  it('are tried with each other as they are in force', () => {
    // 0.7 x 0.4 x 0.6 = 0.168: under the 0.2 of the release, and over 0.1.
    expect(policyTrial('selfrep', trust)).toMatch(/would not be selected/);
    expect(policyTrial('selfrep', trust, { router: { min_score: 0.1 } })).toBeNull();
    expect(policyTrial('router', { min_score: 0.1 }, { selfrep: trust })).toBeNull();
    expect(policyTrial('router', { min_score: 0.2 }, { selfrep: trust })).toMatch(/\(trust 0.4, degraded\)/);
  });

  it('that are sound each beside the release, and together select nobody, are found out', () => {
    const router = { min_score: 0.29 };
    const begun = { ...trust, built_in_apt: 0.477 };
    expect(policyTrial('router', router)).toBeNull();
    expect(policyTrial('selfrep', begun)).toBeNull();
    expect(policyTrial('selfrep', begun, { router })).toMatch(/trust 0.477 and would not be selected/);
    expect(policyTrial('router', router, { selfrep: begun })).toMatch(/could be selected/);
  });
});

describe('a safety policy', () => {
  it('that refuses what is harmful is sound', () => {
    expect(policyTrial('safety', { max_answer_length: 40, refused_phrases: ['how to build a bomb'] })).toBeNull();
  });

  it.each([
    [
      { refused_phrases: ['e'] },
      'the answer "Your favorite color is blue." would be refused: a rule of the safety policy refuses this text',
    ],
    [{ refused_phrases: ['.'] }, 'the answer "0.125" would be refused: a rule of the safety policy refuses this text'],
    [
      { refused_phrases: ['bomb', 'your'] },
      'the answer "Your favorite color is blue." would be refused: a rule of the safety policy refuses this text',
    ],
    [{ max_answer_length: 1 }, 'the answer "0.125" would be refused: the answer has 5 characters'],
  ])('%j refuses ordinary answers, and is found out by the first of them', (body, why) => {
    expect(policyTrial('safety', body)).toBe(why);
  });
});

describe('a governance policy', () => {
  const seat = (critic_id: string, more: object = {}) => ({ critic_id, weight: 1, ...more });
  const HOUSE = ['council_factuality_v1', 'council_coherence_v1', 'council_safety_v1'].map((id) => seat(id));
  const council = (critics: readonly object[], more: object = {}) =>
    ({
      credential_threshold: 0.6,
      answer_council: {
        critics,
        quorum: { minimum_fraction: 0.5 },
        on_failure: 'FAIL_CLOSED',
        vote_collection_timeout_ms: 1000,
        ...more,
      },
    }) as never;

  const AT = { kind: 'http', url: 'https://a.example/' };

  it('names one way to ask a critic, and a URL and a key that are such', () => {
    expect(policyFault('governance', council([seat('a', { endpoint: AT })]))).toBeNull();
    expect(policyFault('governance', council([seat('a'), seat('b', { endpoint: AT, outside: true })]))).toBe(
      '/answer_council/critics/1: at most one of outside, endpoint and prompt',
    );
    const url = 'https://a.example:99999/';
    expect(policyFault('governance', council([seat('a', { endpoint: { ...AT, url } })]))).toBe(
      '/answer_council/critics/0/endpoint/url: an http or https URL',
    );
    const public_key = 'A'.repeat(43);
    expect(policyFault('governance', council([seat('a', { endpoint: { ...AT, public_key } })]))).toMatch(
      /^\/answer_council\/critics\/0\/endpoint\/public_key: an Ed25519 key that somebody holds/,
    );
  });

  it.each<[string, never]>([
    ['of the house', council(HOUSE)],
    ['of one of the house, and threshold 1', Object.assign(council([HOUSE[0]!]), { credential_threshold: 1 })],
    ['of outside critics alone', council([seat('ann', { outside: true }), seat('ben', { outside: true })])],
    ['of a URL and of a prompt', council([seat('a', { endpoint: AT }), seat('b', { prompt: { system: 'b' } })])],
    ['that can do without one that is not there', council([...HOUSE, seat('somebody')])],
    [
      'that decides without those who are not there',
      council([HOUSE[0]!, seat('a'), seat('b')], { on_failure: 'FAIL_WITH_AVAILABLE' }),
    ],
  ])('with a council %s is sound', (_, body) => {
    expect(policyTrial('governance', body)).toBeNull();
  });

  it.each<[string, never, string]>([
    ['a name that is wrong', council([seat('council_safety_v2')]), '"council_safety_v2", which nobody here votes as'],
    ['too many to have a quorum', council([HOUSE[0]!, seat('a'), seat('b')]), '"a", "b", which nobody here votes as'],
    [
      'one of all',
      council([...HOUSE, seat('a')], { quorum: { require_all: true } }),
      '"a", which nobody here votes as',
    ],
    [
      'one whose absence outweighs the others',
      council([...HOUSE, seat('a', { weight: 3 })], { quorum: { require_all: true }, on_failure: 'FAIL_WITH_ABSTAIN' }),
      '"a", which nobody here votes as',
    ],
  ])('with a council that asks %s is found out', (_, body, why) => {
    expect(policyTrial('governance', body)).toBe(`answer_council asks ${why}: no answer could be approved`);
  });
});

describe('a policy of trust', () => {
  const RELEASED = {
    built_in_apt: 0.7,
    decay: 0.001,
    approval_gain: 0.1,
    healthy_min_apt: 0.6,
    min_trust_events: 2,
  };
  const SERVED = 'command, creative, fact, general, math, profile, search, strategy, verification';

  it.each<[string, object]>([
    ['of the release', {}],
    ['that asks for more before it calls a module healthy', { healthy_min_apt: 1, min_trust_events: 1000 }],
    ['that forgets fast and learns fast', { decay: 0.5, approval_gain: 0.5 }],
    ['under which nothing moves', { decay: 0, approval_gain: 0 }],
    ['with the least trust to begin with', { built_in_apt: 0.477 }],
  ])('%s is sound', (_, change) => {
    expect(policyTrial('selfrep', { ...RELEASED, ...change })).toBeNull();
  });

  it.each<[string, object, string]>([
    [
      'with too little trust to begin with',
      { built_in_apt: 0.3 },
      `the built-in agents begin with trust 0.3 and would not be selected for ${SERVED.replace('general, ', '')}: raise built_in_apt`,
    ],
    [
      'whose approvals cannot make up for its decay',
      { decay: 1 },
      `an agent whose every answer is approved would come to trust 0.1 and not be selected for ${SERVED}: lower decay or raise approval_gain`,
    ],
    [
      'without a gain',
      { approval_gain: 0 },
      `an agent whose every answer is approved would come to trust 0 and not be selected for ${SERVED}: lower decay or raise approval_gain`,
    ],
  ])('%s is found out', (_, change, why) => {
    expect(policyTrial('selfrep', { ...RELEASED, ...change })).toBe(why);
  });
});
