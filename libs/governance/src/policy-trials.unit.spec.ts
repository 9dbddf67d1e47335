import { ROUTER_DEFAULTS } from '#lib/routing';

import { policyTrial } from './policy-trials.js';

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
