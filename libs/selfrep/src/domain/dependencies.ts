import type { Dependency, ModuleStatus } from './module.events.js';

/** A set of modules as far as dependencies are concerned. */
export interface DependencyGraph {
  dependenciesOf(nodeId: string): readonly Dependency[];
  /** Undefined for what is not registered. */
  statusOf(nodeId: string): ModuleStatus | undefined;
}

/** The required dependencies that are not healthy, unregistered ones among them; by their stored status alone. */
export function unhealthyDependencies(dependencies: readonly Dependency[], graph: DependencyGraph): readonly string[] {
  return dependencies
    .filter(({ to, required }) => required && graph.statusOf(to) !== 'healthy')
    .map(({ to }) => to)
    .sort();
}

/** A way that leads from a module back to itself once it had these dependencies, or null; linear in the edges. */
export function cycleThrough(
  nodeId: string,
  dependencies: readonly Dependency[],
  graph: Pick<DependencyGraph, 'dependenciesOf'>,
): readonly string[] | null {
  const cameFrom = new Map<string, string>();
  const waiting = [nodeId];
  const next = (from: string): readonly Dependency[] => (from === nodeId ? dependencies : graph.dependenciesOf(from));
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    for (const { to } of next(from)) {
      if (to === nodeId) return wayTo(from, nodeId, cameFrom);
      if (cameFrom.has(to)) continue;
      cameFrom.set(to, from);
      waiting.push(to);
    }
  }
  return null;
}

function wayTo(last: string, start: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const way = [start];
  for (let node = last; node !== start; node = cameFrom.get(node) ?? start) way.unshift(node);
  return [start, ...way];
}
