import { initialBrainState } from '#lib/brainstate';
import { namesWorldFact } from '#lib/memory';
import {
  classifyQuery,
  decide,
  type QueryClassification,
  type RouterConstants,
  type RouterDecision,
  type RouterRefusal,
} from '#lib/routing';

import type { EngineInput } from './input.js';

/** Of a person's own query, by a router policy: who asks is always known. */
export function classifyOwn(
  query_text: string,
  { own_intents: own }: Pick<RouterConstants, 'own_intents'>,
): QueryClassification {
  return classifyQuery({ query_text, has_user: true, names_fact: namesWorldFact, own });
}

/**
 * The decision of Stage-1 on a person's own query (spec/decisions.md, "Routing"); the same for a job and for whoever
 * asks only where a job would go.
 * @param excluded node_ids that failed before
 */
export function decideRoute(
  { modules, router, brainstate }: Pick<EngineInput, 'modules' | 'router' | 'brainstate'>,
  classification: QueryClassification,
  excluded: readonly string[],
): RouterDecision | RouterRefusal {
  const state = initialBrainState(brainstate);
  return decide({
    classification,
    modules,
    attention: state.attention,
    goals: state.goals ?? [],
    budget: state.resource_budget,
    constants: router,
    excluded,
    has_user: true,
  });
}
