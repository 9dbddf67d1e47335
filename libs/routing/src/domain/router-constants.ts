import type { Intent } from './intents.js';
import type { OwnIntents } from './own-intents.js';
import { STAGE0_DEFAULTS, type Stage0Config } from './stage0.js';

export type ModuleStatus = 'healthy' | 'degraded' | 'offline' | 'quarantined';

/** What serving one intent means. */
export interface IntentRoute {
  /** Stable string of the log. */
  readonly route_reason: string;
  /** What the module will do; a policy that forbids one of them keeps it out. */
  readonly actions: readonly string[];
  /** Whether it reads or writes a user's own facts, so that there must be one. */
  readonly requires_user: boolean;
}

/** Body of the router snapshot (config/router.json): every constant of spec/decisions.md "Routing". */
export interface RouterConstants {
  /** Modules scored at most, the most trusted first. */
  readonly top_n: number;
  readonly min_availability: number;
  readonly min_score: number;
  readonly weights: { readonly availability: number; readonly goal_priority: number; readonly exploration: number };
  readonly status_factors: Readonly<Record<ModuleStatus, number>>;
  readonly dependency_unhealthy_factor: number;
  /** Below this attention gain: depth 0. */
  readonly min_attention_gain: number;
  /** Below this budget of tokens: depth 0. */
  readonly min_token_threshold: number;
  /** Tokens that a decision grants at least, where the budget has them. */
  readonly min_token_grant: number;
  /** Share of the budget granted at attention 0; at attention 1 all of it. */
  readonly base_token_share: number;
  /** agent_id of the module that takes what nobody else serves. */
  readonly fallback_agent: string;
  readonly intents: Readonly<Record<Intent, IntentRoute>>;
  /** Those of the deployment, by name; absent where it adds none. */
  readonly own_intents?: OwnIntents;
  /** Whether a question that memory cannot answer goes on to the fallback agent; absent where it ends there. */
  readonly ask_engine_on_miss?: boolean;
  /** Which intents serve a goal of a type (seed 003, section 2). */
  readonly goal_intents: Readonly<Record<string, readonly Intent[]>>;
  readonly stage0: Stage0Config;
}

/** Of a built-in intent or one of the deployment's own; undefined where there is none of this name. */
export function routeOf({ intents, own_intents = {} }: RouterConstants, intent: string): IntentRoute | undefined {
  if (Object.hasOwn(intents, intent)) return intents[intent as Intent];
  const own = Object.hasOwn(own_intents, intent) ? own_intents[intent] : undefined;
  return own && { route_reason: intent, actions: own.actions, requires_user: false };
}

const route = (route_reason: string, actions: readonly string[], requires_user = false): IntentRoute => ({
  route_reason,
  actions,
  requires_user,
});

export const ROUTER_DEFAULTS: RouterConstants = {
  top_n: 10,
  min_availability: 0.15,
  min_score: 0.2,
  weights: { availability: 0.7, goal_priority: 0.2, exploration: 0.1 },
  status_factors: { healthy: 1, degraded: 0.6, offline: 0, quarantined: 0 },
  dependency_unhealthy_factor: 0.5,
  min_attention_gain: 0.2,
  min_token_threshold: 256,
  min_token_grant: 128,
  base_token_share: 0.5,
  fallback_agent: 'generic_agent',
  intents: {
    command: route('command', ['sem.write'], true),
    verification: route('verification', ['compute', 'sem.read']),
    creative: route('creative', ['llm.generate']),
    math: route('math_detect', ['compute']),
    strategy: route('strategy', ['llm.generate']),
    profile: route('profile_lookup', ['sem.read'], true),
    search: route('search', ['sem.read']),
    fact: route('fact_lookup', ['sem.read']),
    general: route('fallback', ['llm.generate']),
  },
  goal_intents: {
    answer: ['math', 'profile', 'search', 'fact', 'creative', 'general'],
    clarify: ['general'],
    save: ['command'],
    verify: ['verification'],
    plan: ['strategy'],
  },
  stage0: STAGE0_DEFAULTS,
};

/** A module that comes with the system, as it registers at first start. */
export interface BuiltInModule {
  readonly node_id: string;
  readonly agent_id: string;
  readonly type: 'agent';
  readonly display_name: string;
  readonly version: string;
  readonly capabilities: readonly Intent[];
  readonly policy: { readonly allowed_actions: readonly string[]; readonly forbidden_actions: readonly string[] };
}

const builtIn = (name: string, display_name: string, capabilities: readonly Intent[]): BuiltInModule => ({
  node_id: `agent:${name}_v1`,
  agent_id: `${name}_agent`,
  type: 'agent',
  display_name,
  version: '1.0.0',
  capabilities,
  policy: {
    allowed_actions: [...new Set(capabilities.flatMap((intent) => ROUTER_DEFAULTS.intents[intent].actions))],
    forbidden_actions: [],
  },
});

export const BUILT_IN_MODULES: readonly BuiltInModule[] = [
  builtIn('math', 'Mathematics', ['math']),
  builtIn('knowledge', 'World facts', ['fact', 'search']),
  builtIn('profile', 'What you told me', ['profile']),
  builtIn('operational', 'Commands', ['command']),
  builtIn('creative', 'Writing', ['creative']),
  builtIn('strategy', 'Planning', ['strategy']),
  builtIn('generic', 'Everything else', ['general']),
  builtIn('verification', 'Checking', ['verification']),
];
