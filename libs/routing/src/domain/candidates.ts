import { atLeast, round9 } from '#lib/kernel';
import { type ModuleStatus, routeOf, type RouterConstants } from './router-constants.js';

/** A module as a selfrep snapshot shows it. */
export interface RoutingModule {
  readonly node_id: string;
  readonly agent_id: string;
  /** Trust in [0, 1]. */
  readonly apt: number;
  readonly status: ModuleStatus;
  readonly dependency_unhealthy: boolean;
  readonly capabilities: readonly string[];
  /** An empty `allowed_actions` allows all that is not forbidden. */
  readonly policy: { readonly allowed_actions: readonly string[]; readonly forbidden_actions: readonly string[] };
  /** Why nothing could call it where the snapshot was made; absent where something could, and in release 0.1. */
  readonly not_callable?: string | undefined;
}

/** Why a module was not scored. */
export type Exclusion =
  | 'pii_intent'
  | 'excluded'
  | 'quarantined'
  | 'offline'
  | 'not_callable'
  | 'forbidden_action'
  | 'missing_role'
  | 'low_availability';

export interface Candidate {
  readonly module: RoutingModule;
  readonly node_id: string;
  readonly apt: number;
  readonly availability: number;
  /** What keeps it out whatever the query; the query may add reasons of its own. */
  readonly barred: Exclusion | null;
}

export type ExcludedCandidate = {
  readonly node_id: string;
  readonly agent_id: string;
  readonly apt: number;
  readonly availability: number;
  readonly reason: Exclusion;
};

/** The modules that serve an intent, best first: (apt desc, node_id asc). */
export interface Field {
  readonly open: readonly Candidate[];
  /** The first TOP_N of them: all that a query without reasons of its own looks at. */
  readonly top: readonly Candidate[];
  /** The first TOP_N of those that are out whatever the query. */
  readonly barred: readonly ExcludedCandidate[];
  readonly barredTotal: number;
}

/** The order of every list of modules: (apt desc, node_id asc), by code units and no language's alphabet. */
export function byTrust(a: Ranked, b: Ranked): number {
  return b.apt - a.apt || (a.node_id < b.node_id ? -1 : a.node_id > b.node_id ? 1 : 0);
}

interface Ranked {
  readonly node_id: string;
  readonly apt: number;
}

export function exclusion({ module, apt, availability }: Candidate, reason: Exclusion): ExcludedCandidate {
  return { node_id: module.node_id, agent_id: module.agent_id, apt, availability, reason };
}

const fields = new WeakMap<readonly RoutingModule[], WeakMap<RouterConstants, Map<string, Field>>>();

/**
 * The field of an intent: every module but the fallback agent that lists it among its capabilities. Snapshots are
 * immutable, so what was made of one is kept with it: ten thousand modules are sorted once, not for each decision.
 */
export function fieldOf(modules: readonly RoutingModule[], constants: RouterConstants, intent: string): Field {
  const serves = (module: RoutingModule): boolean =>
    module.agent_id !== constants.fallback_agent && module.capabilities.includes(intent);
  return kept(modules, constants, `intent:${intent}`, serves, intent);
}

/** The modules of the fallback agent. */
export function fallbackField(modules: readonly RoutingModule[], constants: RouterConstants): Field {
  const isFallback = (module: RoutingModule): boolean => module.agent_id === constants.fallback_agent;
  return kept(modules, constants, 'fallback', isFallback, 'general');
}

function kept(
  modules: readonly RoutingModule[],
  constants: RouterConstants,
  name: string,
  belongs: (module: RoutingModule) => boolean,
  intent: string,
): Field {
  let ofModules = fields.get(modules);
  if (!ofModules) fields.set(modules, (ofModules = new WeakMap<RouterConstants, Map<string, Field>>()));
  let named = ofModules.get(constants);
  if (!named) ofModules.set(constants, (named = new Map<string, Field>()));
  let field = named.get(name);
  if (!field) named.set(name, (field = build(modules.filter(belongs), constants, intent)));
  return field;
}

function build(modules: readonly RoutingModule[], constants: RouterConstants, intent: string): Field {
  const candidates = modules.map((module) => candidate(module, constants, intent)).sort(byTrust);
  const barred = candidates.flatMap((one) => (one.barred ? [exclusion(one, one.barred)] : []));
  const open = candidates.filter((one) => one.barred === null);
  return {
    open,
    top: open.slice(0, constants.top_n),
    barred: barred.slice(0, constants.top_n),
    barredTotal: barred.length,
  };
}

function candidate(module: RoutingModule, constants: RouterConstants, intent: string): Candidate {
  const apt = Number.isFinite(module.apt) ? module.apt : 0;
  const availability = availabilityOf(apt, module, constants);
  return {
    module,
    node_id: module.node_id,
    apt: round9(apt),
    availability,
    barred: bar(module, availability, constants, intent),
  };
}

/** Multiplied in this order: another rounds another way now and then, and a recorded decision would replay as another. */
export function availabilityOf(
  apt: number,
  { status, dependency_unhealthy }: Pick<RoutingModule, 'status' | 'dependency_unhealthy'>,
  constants: RouterConstants,
): number {
  const health = constants.status_factors[status] ?? 0;
  const dependencies = dependency_unhealthy ? constants.dependency_unhealthy_factor : 1;
  return round9(apt * health * dependencies);
}

function bar(
  module: RoutingModule,
  availability: number,
  constants: RouterConstants,
  intent: string,
): Exclusion | null {
  if (module.status === 'quarantined' || module.status === 'offline') return module.status;
  if (module.not_callable !== undefined) return 'not_callable';
  if (forbids(module, constants, intent)) return 'forbidden_action';
  return atLeast(availability, constants.min_availability) ? null : 'low_availability';
}

function forbids({ policy }: RoutingModule, constants: RouterConstants, intent: string): boolean {
  const actions = routeOf(constants, intent)?.actions ?? [];
  const { allowed_actions: allowed, forbidden_actions: forbidden } = policy;
  return actions.some((action) => forbidden.includes(action) || (allowed.length > 0 && !allowed.includes(action)));
}
