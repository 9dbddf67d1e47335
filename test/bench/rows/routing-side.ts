import {
  BUILT_IN_MODULES,
  classifyQuery,
  decide,
  ROUTER_DEFAULTS,
  routingCorpus,
  type RouterInput,
  type RoutingModule,
} from '#lib/routing';

import { timed } from '../harness/callers.js';

const EXPLORE_BIASES = [0.15, 0.3, 0, 0.9];

/** The modules that come with the system, all healthy. */
export const BUILT_IN: readonly RoutingModule[] = BUILT_IN_MODULES.map((module) => ({
  ...module,
  apt: 0.7,
  status: 'healthy',
  dependency_unhealthy: false,
}));

/**
 * The labelled corpus, classified, once with a goal and once without, and no two neighbours in the same state of
 * attention: whatever a router may keep from one decision to the next seldom fits.
 */
export function routerInputs(modules: readonly RoutingModule[]): readonly RouterInput[] {
  return routingCorpus().flatMap(({ query: query_text }, i) => {
    const input: RouterInput = {
      classification: classifyQuery({ query_text, has_user: true }),
      modules,
      attention: { attention_gain: (i % 10) / 10, explore_bias: EXPLORE_BIASES[i % EXPLORE_BIASES.length]! },
      goals: [],
      budget: { token_budget: 2048, max_depth_allowed: 2 },
      constants: ROUTER_DEFAULTS,
      excluded: [],
      has_user: true,
    };
    return [input, { ...input, goals: [{ type: 'answer', priority: 0.6, status: 'active' }] }];
  });
}

/** Decisions a second over all inputs in turn. @throws Error where one chooses nobody */
export function decisions(inputs: readonly RouterInput[], count: number): Promise<number> {
  return timed(count, () => {
    for (let i = 0; i < count; i++) {
      const input = inputs[i % inputs.length]!;
      const decision = decide(input);
      if ('error_code' in decision) {
        throw new Error(`${JSON.stringify(input.classification)} was refused with ${decision.error_code}`);
      }
    }
  });
}
