import type { JsonObject } from '#lib/kernel';
import type { ProjectedEvent, Projection } from '#lib/projections';
import type { Change, CollectionDefinition } from '#lib/read-store';

import {
  type AptEvent,
  type DependencyHealthChanged,
  isOfModule,
  MODULE_EVENT_TYPES,
  type ModuleChanged,
  type ModuleHealth,
  type ModuleRegistered,
} from '../domain/module.events.js';
import type { Module } from '../domain/module.js';

/** Every module as its stream leaves it. */
export const MODULES: CollectionDefinition = { name: 'modules', indexes: ['type', 'status', 'since'] };
/** Who depends on whom, by `from->to`. */
export const EDGES: CollectionDefinition = { name: 'edges', indexes: ['from', 'to'] };

/** A function of the event alone: each event carries the health that it leaves. */
export const selfrepProjection: Projection = {
  name: 'selfrep',
  version: 2,
  collections: [MODULES, EDGES],
  types: MODULE_EVENT_TYPES,
  project(event: ProjectedEvent): readonly Change[] {
    if (!isOfModule(event)) return [];
    return event.type === 'MODULE_REGISTERED' ? registered(event) : [merged(event)];
  },
};

/** The module that a document holds. */
export function moduleOf(body: JsonObject): Module {
  const { status: _, ...module } = body;
  return module as unknown as Module;
}

function registered(event: ProjectedEvent): readonly Change[] {
  const { request_id: _, health, ...module } = event.data as unknown as ModuleRegistered;
  const flags = { dependency_unhealthy: false, unhealthy: [], through: '0', since: event.position };
  const body = { ...module, ...flags, ...afterOf(event, health) } as unknown as JsonObject;
  const edges = module.dependencies.map(({ to, required }): Change => {
    const from = module.node_id;
    return { op: 'put', collection: EDGES.name, id: `${from}->${to}`, body: { from, to, required } };
  });
  return [{ op: 'put', collection: MODULES.name, id: module.node_id, body }, ...edges];
}

function merged(event: ProjectedEvent): Change {
  const { node_id, health } = event.data as unknown as { node_id: string; health?: ModuleHealth };
  const fields = { ...fieldsOf(event), ...afterOf(event, health) } as unknown as JsonObject;
  return { op: 'merge', collection: MODULES.name, id: node_id, fields };
}

function fieldsOf({ type, data }: ProjectedEvent): object {
  if (type === 'APT_EVENT') {
    const { through } = data as unknown as AptEvent;
    return through === undefined ? {} : { through };
  }
  if (type === 'DEPENDENCY_HEALTH_CHANGED') {
    const { dependency_unhealthy, unhealthy } = data as unknown as DependencyHealthChanged;
    return { dependency_unhealthy, unhealthy };
  }
  if (type !== 'MODULE_CHANGED') return {};
  const { node_id: _, request_id: __, ...changed } = data as unknown as ModuleChanged;
  return changed;
}

function afterOf({ revision, position, metadata }: ProjectedEvent, health: ModuleHealth | undefined): object {
  const { recorded_at: last_updated = null, timestamp_seeded } = metadata;
  const place = { revision, position, last_updated, timestamp_seeded };
  return health ? { health, status: health.status, ...place } : place;
}
