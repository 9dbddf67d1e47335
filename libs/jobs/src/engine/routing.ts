import { initialBrainState } from '#lib/brainstate';
import { namesWorldFact } from '#lib/memory';
import {
  classifyQuery,
  decide,
  leastTrust,
  type QueryClassification,
  type RouterConstants,
  type RouterDecision,
  type RouterRefusal,
  type RouteTrace,
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

/** Of those that serve the query, the one trusted most, where its trust alone is why the router asked none of them. */
export function tooLittleTrusted(
  { engineVersion, modules, router, brainstate }: EngineInput,
  trace: RouteTrace | null,
): { readonly node_id: string; readonly apt: number; readonly least: number } | null {
  if (engineVersion < 4 || !trace || trace.candidates.some(({ eligible }) => eligible)) return null;
  const distrusted = trace.excluded.filter(({ reason }) => reason === 'low_availability');
  const [best] = [...trace.candidates, ...distrusted];
  const module = modules.find(({ node_id }) => node_id === best?.node_id);
  if (!best || !module) return null;
  const { attention, goals = [] } = initialBrainState(brainstate);
  const least = leastTrust(module, router, { attention, goals });
  return least === null ? null : { node_id: best.node_id, apt: best.apt, least };
}
