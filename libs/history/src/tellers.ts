import type { LoggedEvent } from '#lib/event-store';
import { REQUEST_FOLD, type Snapshots } from '#lib/governance';
import type { JsonObject } from '#lib/kernel';
import { evolveSem, initialSem, type SemState } from '#lib/memory';
import { evolveModule, type Module } from '#lib/selfrep';

import type { Teller } from './teller.js';

/** Memory, modules, policies, requests and BrainStates: what replay and time travel are about (spec/api.md, `as_of`). */
export function tellersOn(snapshots: Snapshots): readonly Teller[] {
  return [
    { kind: 'memory', prefix: 'sem-', tell: memoryOf },
    { kind: 'module', prefix: 'module-', tell: moduleOf },
    { kind: 'policy', prefix: 'policy-', tell: (events) => policyOf(events, snapshots) },
    { kind: 'request', prefix: 'actionrequest-', tell: requestOf },
    { kind: 'brainstate', prefix: 'brainstate-', tell: brainstateOf },
  ];
}

function memoryOf(events: readonly LoggedEvent[]): JsonObject | null {
  const { current } = events.reduce<SemState>(evolveSem, initialSem);
  if (!current || current.deleted) return null;
  const { event_id: _, revision: __, position: ___, deleted: ____, ...told } = current;
  return told;
}

function moduleOf(events: readonly LoggedEvent[]): JsonObject | null {
  const module = events.reduce<Module | null>(evolveModule, null);
  if (!module) return null;
  const { revision: _, position: __, last_updated: ___, through: ____, ...told } = module;
  return told as unknown as JsonObject;
}

async function policyOf(events: readonly LoggedEvent[], snapshots: Snapshots): Promise<JsonObject | null> {
  const id = events.at(-1)?.data['snapshot_id'];
  if (typeof id !== 'string') return null;
  const { body } = await snapshots.load(id);
  return { snapshot_id: id, body };
}

function requestOf(events: readonly LoggedEvent[]): JsonObject | null {
  const { terms, status, votes, signatures, execution, review } = events.reduce(
    (state, event) => REQUEST_FOLD.evolve(state, event),
    REQUEST_FOLD.initial,
  );
  if (!terms) return null;
  return { status, votes, signatures, execution, review } as unknown as JsonObject;
}

function brainstateOf(events: readonly LoggedEvent[]): JsonObject | null {
  if (events.length === 0) return null;
  const ticks = events.filter(({ type }) => type === 'BRAINSTATE_TICK');
  return { inserted: events.length - ticks.length, ...ticks.at(-1)?.data };
}
