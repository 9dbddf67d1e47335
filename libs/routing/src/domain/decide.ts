import { atLeast, floorWithEpsilon, nearlyEqual, round9 } from '#lib/kernel';
import {
  byTrust,
  exclusion,
  fallbackField,
  fieldOf,
  type Candidate,
  type ExcludedCandidate,
  type Exclusion,
  type Field,
  type RoutingModule,
} from './candidates.js';
import { routeOf, type RouterConstants } from './router-constants.js';
import { scoreAll, unit, type RoutingGoal, type ScoredCandidate } from './scoring.js';

/** Everything a decision depends on; nothing else does. */
export interface RouterInput {
  /** Of the classifier; the first tag decides. */
  readonly classification: { readonly intent_tags: readonly string[] };
  /** Of a selfrep snapshot, in any order. Null where the snapshot is missing. Never changed after the first use. */
  readonly modules: readonly RoutingModule[] | null;
  readonly attention: { readonly attention_gain: number; readonly explore_bias: number };
  readonly goals: readonly RoutingGoal[];
  readonly budget: { readonly token_budget: number; readonly max_depth_allowed: number };
  /** Body of the router snapshot. Null where it is missing. */
  readonly constants: RouterConstants | null;
  /** node_ids that failed in this job. */
  readonly excluded: readonly string[];
  readonly has_user: boolean;
}

/** Every intermediate value, rounded to 9 decimals; lists sorted by (apt desc, node_id asc). */
export type RouteTrace = {
  readonly intent: string;
  readonly intent_tags: readonly string[];
  readonly attention_gain: number;
  readonly explore_bias: number;
  /** At most TOP_N. */
  readonly candidates: readonly ScoredCandidate[];
  /** At most TOP_N; `excluded_total` counts all that were looked at. */
  readonly excluded: readonly ExcludedCandidate[];
  readonly excluded_total: number;
  /** Fallback modules that were looked at because no candidate was selected. */
  readonly fallback: readonly {
    readonly node_id: string;
    readonly availability: number;
    readonly reason: Exclusion | null;
  }[];
  readonly selected: string | null;
};

export interface RouterDecision {
  readonly agent_id: string;
  readonly node_id: string;
  readonly route_reason: string;
  readonly depth: number;
  readonly token_budget: number;
  readonly route_trace: RouteTrace;
}

export interface RouterRefusal {
  readonly error_code: 'ROUTER_NO_SNAPSHOT' | 'ROUTER_NO_MATCH' | 'PRIVACY_BLOCKED';
  readonly route_trace: RouteTrace;
}

/** The intent that decides where a query goes. */
export function intentOf({ intent_tags }: RouterInput['classification']): string {
  return intent_tags[0] ?? 'general';
}

/** The tag that a caller sets where PII was found: nothing may be routed. */
export const PII_INTENT = 'pii';

/**
 * Chooses the module that answers (spec/decisions.md "Routing", Stage-1): a pure function of its input, the same for any
 * order of modules. The candidates are the modules that serve the primary intent; where none can be selected, the
 * fallback agent at depth 0 (`fallback_generic`).
 */
export function decide(input: RouterInput): RouterDecision | RouterRefusal {
  const { constants, modules, classification } = input;
  const intent = intentOf(classification);
  const isPrivate = classification.intent_tags.includes(PII_INTENT);
  if (!constants || !modules) return { error_code: 'ROUTER_NO_SNAPSHOT', route_trace: traceOf(input, intent, {}) };

  const survey = surveyField(input, constants, intent, fieldOf(modules, constants, intent), isPrivate);
  const candidates = scoreAll(input, constants, survey.open);
  const trace = { candidates, excluded: survey.excluded, excluded_total: survey.excludedTotal };
  if (isPrivate) return { error_code: 'PRIVACY_BLOCKED', route_trace: traceOf(input, intent, trace) };

  const best = select(candidates);
  const grant = { token_budget: tokenBudget(input, constants) };
  if (best) {
    const { agent_id, node_id } = best;
    const route_trace = traceOf(input, intent, { selected: node_id, ...trace });
    return {
      agent_id,
      node_id,
      route_reason: reasonOf(constants, intent),
      depth: depth(input, constants),
      ...grant,
      route_trace,
    };
  }

  const last = surveyField(input, constants, 'general', fallbackField(modules, constants), false);
  const fallback = [
    ...last.open.map(({ module, availability }) => ({ node_id: module.node_id, availability, reason: null })),
    ...last.excluded.map(({ node_id, availability, reason }) => ({ node_id, availability, reason })),
  ];
  const chosen = last.open[0]?.module;
  const route_trace = traceOf(input, intent, { ...trace, fallback, selected: chosen?.node_id ?? null });
  if (!chosen) return { error_code: 'ROUTER_NO_MATCH', route_trace };
  const { agent_id, node_id } = chosen;
  return { agent_id, node_id, route_reason: 'fallback_generic', depth: 0, ...grant, route_trace };
}

interface Survey {
  readonly open: readonly Candidate[];
  readonly excluded: readonly ExcludedCandidate[];
  readonly excludedTotal: number;
}

/** Sorts out who may be scored: the query's own reasons on top of what bars a module anyway. */
function surveyField(
  input: RouterInput,
  constants: RouterConstants,
  intent: string,
  field: Field,
  isPrivate: boolean,
): Survey {
  const needsUser = routeOf(constants, intent)?.requires_user === true && !input.has_user;
  if (!isPrivate && !needsUser && input.excluded.length === 0) {
    return { open: field.top, excluded: field.barred, excludedTotal: field.barredTotal };
  }
  const open: Candidate[] = [];
  const out: ExcludedCandidate[] = [];
  let outTotal = 0;
  for (const candidate of field.open) {
    if (open.length === constants.top_n) break;
    const reason = ownReason(input, candidate, needsUser, isPrivate);
    if (reason === null) open.push(candidate);
    else if (++outTotal <= constants.top_n) out.push(exclusion(candidate, reason));
  }
  const excluded = out.length === 0 ? field.barred : [...out, ...field.barred].sort(byTrust).slice(0, constants.top_n);
  return { open, excluded, excludedTotal: field.barredTotal + outTotal };
}

/** What keeps a module out of this query only. */
function ownReason(
  { excluded }: RouterInput,
  { node_id }: Candidate,
  needsUser: boolean,
  isPrivate: boolean,
): Exclusion | null {
  if (isPrivate) return 'pii_intent';
  if (excluded.includes(node_id)) return 'excluded';
  return needsUser ? 'missing_role' : null;
}

/** The highest score; within epsilon of it the higher apt, then the lower node_id, which is the candidates' order. */
function select(candidates: readonly ScoredCandidate[]): ScoredCandidate | undefined {
  const eligible = candidates.filter((candidate) => candidate.eligible);
  const highest = eligible.reduce((top, { final_score }) => Math.max(top, final_score), 0);
  return eligible.find(({ final_score }) => nearlyEqual(final_score, highest));
}

function depth({ attention, budget }: RouterInput, constants: RouterConstants): number {
  const gain = unit(attention.attention_gain);
  if (!atLeast(gain, constants.min_attention_gain) || budget.token_budget < constants.min_token_threshold) return 0;
  return Math.min(budget.max_depth_allowed, floorWithEpsilon(gain * budget.max_depth_allowed));
}

/** min(budget, max(128, floor(budget (0.5 + 0.5 attention_gain)))). */
function tokenBudget({ attention, budget }: RouterInput, constants: RouterConstants): number {
  const share = constants.base_token_share + (1 - constants.base_token_share) * unit(attention.attention_gain);
  return Math.min(
    budget.token_budget,
    Math.max(constants.min_token_grant, floorWithEpsilon(budget.token_budget * share)),
  );
}

function reasonOf(constants: RouterConstants, intent: string): string {
  return routeOf(constants, intent)?.route_reason ?? intent;
}

function traceOf({ classification, attention }: RouterInput, intent: string, found: Partial<RouteTrace>): RouteTrace {
  return {
    intent,
    intent_tags: classification.intent_tags,
    attention_gain: round9(unit(attention.attention_gain)),
    explore_bias: round9(unit(attention.explore_bias)),
    candidates: [],
    excluded: [],
    excluded_total: 0,
    fallback: [],
    selected: null,
    ...found,
  };
}
