import type { RoutingModule } from '#lib/routing';

const indexes = new WeakMap<readonly RoutingModule[], ReadonlyMap<string, RoutingModule>>();

/** A module of a pinned snapshot. Snapshots keep their list, so that ten thousand modules are indexed once, not a job. */
export function moduleOf(modules: readonly RoutingModule[], nodeId: string): RoutingModule | undefined {
  let index = indexes.get(modules);
  if (!index) indexes.set(modules, (index = new Map(modules.map((module) => [module.node_id, module]))));
  return index.get(nodeId);
}
