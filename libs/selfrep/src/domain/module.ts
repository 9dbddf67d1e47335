import type { EventMetadata, JsonObject } from '#lib/kernel';

import type { CallTarget } from './endpoint.js';
import type {
  AptEvent,
  DependencyHealthChanged,
  ModuleChanged,
  ModuleEventType,
  ModuleHealth,
  ModuleRegistered,
} from './module.events.js';
import type { ModuleSpec } from './registration.js';

/** A module as its stream tells it. */
export interface Module extends ModuleSpec {
  readonly registration: ModuleRegistered['registration'];
  readonly health: ModuleHealth;
  /** Revision of the event that says how it is called; absent where none does. */
  readonly endpoint_revision?: number;
  readonly dependency_unhealthy: boolean;
  /** The required dependencies that are not healthy. */
  readonly unhealthy: readonly string[];
  /** Position of the newest job event that its trust contains; "0" before any. */
  readonly through: string;
  /** Position of its registration: the order of modules in snapshots. */
  readonly since: string;
  /** Of its newest event. */
  readonly revision: number;
  readonly position: string;
  /** recorded_at of its newest event; null where that is of release 0.1. */
  readonly last_updated: string | null;
  readonly timestamp_seeded: string;
}

/** Why nothing can call a module. */
export type NotCallable = 'no_implementation' | 'no_language_engine' | 'host_not_listed';

/** A command or a governed action that was carried out, so that the same one again changes nothing. */
export interface CarriedOut {
  readonly seed: string;
  readonly event: PlacedEvent;
}

/** What decisions about a module are made on. */
export interface ModuleState {
  /** Null where nothing is registered under this node_id. */
  readonly module: Module | null;
  /** The newest commands, the latest last. */
  readonly commands: readonly CarriedOut[];
}

/** An event of `module-{node_id}` with its place in the log. */
export interface PlacedEvent {
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
  readonly revision: number;
  readonly position: string;
}

export const initialModule: ModuleState = { module: null, commands: [] };

const MAX_COMMANDS = 64;

export function evolveModuleState({ module, commands }: ModuleState, event: PlacedEvent): ModuleState {
  const { job_seed, sequence_index } = event.metadata;
  const isCommand = sequence_index === 0 && !job_seed.startsWith('after:selfrep-');
  return {
    module: evolveModule(module, event),
    commands: isCommand ? [...commands.slice(1 - MAX_COMMANDS), { seed: job_seed, event }] : commands,
  };
}

/** @returns the module after an event; null for events that come before its registration */
export function evolveModule(module: Module | null, event: PlacedEvent): Module | null {
  const place = {
    revision: event.revision,
    position: event.position,
    last_updated: event.metadata.recorded_at ?? null,
    timestamp_seeded: event.metadata.timestamp_seeded,
  };
  const { health, ...rest } = event.data as { health?: ModuleHealth } & JsonObject;
  if (event.type === 'MODULE_REGISTERED') {
    const { request_id: _, ...registered } = event.data as unknown as ModuleRegistered;
    const none = { dependency_unhealthy: false, unhealthy: [], through: '0' };
    return { ...registered, ...sinceOf(registered, event), ...none, since: event.position, ...place };
  }
  if (!module) return null;
  const after: Module = { ...module, ...(health ? { health } : {}), ...place };
  switch (event.type as ModuleEventType) {
    case 'APT_EVENT': {
      const { through = module.through } = rest as unknown as AptEvent;
      return { ...after, through };
    }
    case 'DEPENDENCY_HEALTH_CHANGED': {
      const { dependency_unhealthy, unhealthy } = rest as unknown as DependencyHealthChanged;
      return { ...after, dependency_unhealthy, unhealthy };
    }
    case 'MODULE_CHANGED': {
      const { node_id: _, request_id: __, ...changed } = rest as unknown as ModuleChanged;
      const since = sinceOf(changed, event);
      if (since.endpoint_revision === undefined) return { ...after, ...changed };
      const { endpoint: _endpoint, prompt: _prompt, ...kept } = after;
      return { ...kept, ...changed, ...since };
    }
    default:
      return after;
  }
}

function sinceOf({ endpoint, prompt }: CallTarget, { revision }: PlacedEvent): Pick<Module, 'endpoint_revision'> {
  return endpoint === undefined && prompt === undefined ? {} : { endpoint_revision: revision };
}
