import { type DomainEvent, type EventDefinition, GrowingMap, isJsonObject, type JsonObject, listOf } from '#lib/kernel';

import type { DependencyGraph } from './dependencies.js';
import type { Dependency } from './module.events.js';

/**
 * In `system-modules`: a module with these dependencies is about to be registered. Registrations go to streams of their
 * own, so that here alone one sees another that is under way in another process.
 */
export interface ModuleReserved {
  readonly node_id: string;
  readonly dependencies: readonly Dependency[];
  /** ISO 8601; it counts for RESERVED_MS, and for ever where the module is registered. */
  readonly reserved_at: string;
}

export const RESERVATIONS_STREAM = 'system-modules';
const MODULE_RESERVED = 'MODULE_RESERVED';

/** After half of it the registration is given up by who reserved, after all of it by who meets the reservation. */
export const RESERVED_MS = 10 * 60 * 1000;

export const reservationEvents: readonly EventDefinition[] = [
  {
    type: MODULE_RESERVED,
    version: 1,
    plain: ['node_id', 'dependencies', 'reserved_at'],
    forms: { dependencies: listOf(isJsonObject) },
  },
];

export function moduleReserved(reserved: ModuleReserved): DomainEvent {
  return { type: MODULE_RESERVED, data: reserved as unknown as JsonObject };
}

/** By event_id. */
export type Reservations = GrowingMap<string, ModuleReserved>;

export const noReservations: Reservations = GrowingMap.empty();

export function evolveReservations(
  reserved: Reservations,
  { data, metadata }: { readonly data: JsonObject; readonly metadata: { readonly event_id: string } },
): Reservations {
  return reserved.with(metadata.event_id, data as unknown as ModuleReserved);
}

/** The dependencies of registered modules and, beside them, the reserved ones but for those of reservations that ended. */
export function withReserved(
  graph: Pick<DependencyGraph, 'dependenciesOf'>,
  reserved: Reservations,
  ended: ReadonlySet<string>,
): Pick<DependencyGraph, 'dependenciesOf'> {
  const byNode = new Map<string, Dependency[]>();
  for (const [id, { node_id, dependencies }] of reserved.entries()) {
    if (!ended.has(id)) byNode.set(node_id, [...(byNode.get(node_id) ?? []), ...dependencies]);
  }
  return { dependenciesOf: (nodeId) => [...graph.dependenciesOf(nodeId), ...(byNode.get(nodeId) ?? [])] };
}
