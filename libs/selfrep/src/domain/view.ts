import type { Endpoint, Prompt } from './endpoint.js';
import type { Dependency, ModulePolicy, ModuleRegistered, ModuleStatus, ModuleType } from './module.events.js';
import type { Module, NotCallable } from './module.js';

/** A module as people are shown it (spec/decisions.md "SelfRepresentation and trust"). */
export interface ModuleView {
  readonly node_id: string;
  readonly agent_id: string;
  readonly type: ModuleType;
  readonly display_name: string;
  readonly version: string;
  readonly status: ModuleStatus;
  readonly status_reason: string;
  /** Whether the process that answers can call it: one that nothing can call is never routed to. */
  readonly callable: boolean;
  /** Why not, in words; null where it is callable. */
  readonly not_callable_reason: string | null;
  readonly apt: number;
  readonly metrics: {
    readonly consecutive_failures: number;
    readonly total_calls: number;
    readonly last_failure_ts: string | null;
    readonly trust_events: number;
  };
  readonly capabilities: readonly string[];
  readonly dependencies: readonly Dependency[];
  /** `from->to`, one a dependency. */
  readonly edges: readonly string[];
  /** Where it answers that runs elsewhere; null for what is part of the system, or cannot be called. */
  readonly endpoint: Endpoint | null;
  /** Under which a language engine answers as it; null for every other. */
  readonly prompt: Prompt | null;
  /** Revision of its stream at which it came to be called so; null where neither is. */
  readonly endpoint_revision: number | null;
  readonly policy: ModulePolicy;
  readonly registration: ModuleRegistered['registration'];
  readonly dependency_unhealthy: boolean;
  readonly unhealthy_dependencies: readonly string[];
  /** When its newest event was recorded; null where release 0.1 did so, whose events say no time. */
  readonly last_updated: string | null;
  /** Of the same event. */
  readonly timestamp_seeded: string;
}

/** @param whyNot why nothing can call it; null where something can */
export function moduleView(module: Module, whyNot: NotCallable | null): ModuleView {
  const { node_id, agent_id, type, display_name, version, capabilities, dependencies, policy, registration } = module;
  const {
    status,
    status_reason,
    apt,
    engine_failures: _,
    card_changed: __,
    recoveries: ___,
    ...metrics
  } = module.health;
  return {
    node_id,
    agent_id,
    type,
    display_name,
    version,
    status,
    status_reason,
    callable: whyNot === null,
    not_callable_reason: whyNot && WHY_NOT[whyNot](module),
    apt,
    metrics,
    capabilities,
    dependencies,
    edges: dependencies.map(({ to }) => `${node_id}->${to}`),
    policy,
    endpoint: module.endpoint ?? null,
    prompt: module.prompt ?? null,
    endpoint_revision: module.endpoint_revision ?? null,
    registration,
    dependency_unhealthy: module.dependency_unhealthy,
    unhealthy_dependencies: module.unhealthy,
    last_updated: module.last_updated,
    timestamp_seeded: module.timestamp_seeded,
  };
}

const WHY_NOT: Readonly<Record<NotCallable, (module: Module) => string>> = {
  no_implementation: ({ type, agent_id }) =>
    type === 'agent' ? `nothing here implements ${agent_id}` : 'only modules of type agent are called',
  no_language_engine: ({ prompt }) =>
    prompt?.model === undefined
      ? 'no language engine is configured (MACE_LLM_PROVIDERS)'
      : `no language engine with model ${prompt.model} is configured (MACE_LLM_PROVIDERS)`,
  host_not_listed: ({ endpoint }) => `${hostOf(endpoint)} is not on MACE_AGENT_HOSTS`,
};

/** @param endpoint one that `checkEndpoint` took */
export function hostOf(endpoint: Endpoint | undefined): string {
  return endpoint === undefined ? 'no host' : new URL(endpoint.url).host;
}
