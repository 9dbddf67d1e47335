import fc from 'fast-check';

import { cycleThrough, type DependencyGraph, unhealthyDependencies } from './dependencies.js';
import type { Dependency, ModuleStatus } from './module.events.js';

const to = (...nodes: readonly string[]): Dependency[] => nodes.map((node) => ({ to: node, required: true }));

function graph(
  edges: Record<string, readonly Dependency[]>,
  statuses: Record<string, ModuleStatus> = {},
): DependencyGraph {
  return { dependenciesOf: (node) => edges[node] ?? [], statusOf: (node) => statuses[node] };
}

describe('cycles of dependencies', () => {
  it('are found and told, whatever their length', () => {
    expect(cycleThrough('a', to('a'), graph({}))).toEqual(['a', 'a']);
    expect(cycleThrough('b', to('a'), graph({ a: to('b') }))).toEqual(['b', 'a', 'b']);
    expect(cycleThrough('c', to('x', 'a'), graph({ a: to('b'), b: to('y', 'c') }))).toEqual(['c', 'a', 'b', 'c']);
  });

  it('are not seen where several ways lead to one module', () => {
    expect(cycleThrough('a', to('b', 'c'), graph({ b: to('d'), c: to('d'), d: [] }))).toBeNull();
  });

  it('never come about where modules are refused that would close one', () => {
    const node = fc.integer({ min: 0, max: 9 }).map(String);
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(node, fc.uniqueArray(node)), { selector: ([name]) => name }), (wanted) => {
        const edges: Record<string, readonly Dependency[]> = {};
        for (const [name, targets] of wanted) {
          if (!cycleThrough(name, to(...targets), graph(edges))) edges[name] = to(...targets);
        }
        for (const name of Object.keys(edges)) expect(reaches(edges, name, name, new Set())).toBe(false);
      }),
    );
  });
});

describe('the health of dependencies', () => {
  const statuses = { up: 'healthy', slow: 'degraded', down: 'offline', locked: 'quarantined' } as const;

  it('is that of the required ones alone, by their stored status; one that is not there is not healthy', () => {
    const dependencies = [...to('up', 'slow', 'none', 'locked'), { to: 'down', required: false }];
    expect(unhealthyDependencies(dependencies, graph({}, statuses))).toEqual(['locked', 'none', 'slow']);
    expect(unhealthyDependencies(to('up'), graph({}, statuses))).toEqual([]);
  });
});

function reaches(edges: Record<string, readonly Dependency[]>, from: string, goal: string, seen: Set<string>): boolean {
  return (edges[from] ?? []).some(({ to: next }) => {
    if (next === goal) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    return reaches(edges, next, goal, seen);
  });
}
