import type { Fold } from '#lib/event-store';
import { REQUEST_FOLD, type Snapshots } from '#lib/governance';
import type { JsonObject } from '#lib/kernel';
import { SEM_FOLD, type SemState } from '#lib/memory';
import { MODULE_FOLD, type ModuleState } from '#lib/selfrep';

import type { Teller } from './teller.js';

/** Memory, modules, policies, requests and BrainStates: what replay and time travel are about (spec/api.md, `as_of`). */
export function tellersOn(snapshots: Snapshots): readonly Teller[] {
  return [
    { kind: 'memory', prefix: 'sem-', fold: SEM_FOLD, tell: memoryOf },
    { kind: 'module', prefix: 'module-', fold: MODULE_FOLD, tell: moduleOf },
    { kind: 'policy', prefix: 'policy-', fold: POLICY, tell: (id: string | null) => policyOf(id, snapshots) },
    { kind: 'request', prefix: 'actionrequest-', fold: REQUEST_FOLD, tell: requestOf },
    { kind: 'brainstate', prefix: 'brainstate-', fold: BRAINSTATE, tell: (told: JsonObject | null) => told },
  ] as readonly Teller[];
}

/** The snapshot that is in force. */
const POLICY: Fold<string | null> = {
  name: 'told-policy',
  initial: null,
  evolve: (_, { data: { snapshot_id: id } }) => (typeof id === 'string' ? id : null),
};

/** The newest tick, and how much was inserted. */
const BRAINSTATE: Fold<JsonObject | null> = {
  name: 'told-brainstate',
  initial: null,
  evolve: (told, { type, data }) => {
    const inserted = (told?.['inserted'] as number | undefined) ?? 0;
    return type === 'BRAINSTATE_TICK' ? { inserted, ...data } : { ...told, inserted: inserted + 1 };
  },
};

function memoryOf({ current }: SemState): JsonObject | null {
  if (!current || current.deleted) return null;
  const { event_id: _, revision: __, position: ___, deleted: ____, ...told } = current;
  return told;
}

function moduleOf({ module }: ModuleState): JsonObject | null {
  if (!module) return null;
  const { revision: _, position: __, last_updated: ___, timestamp_seeded: ____, through: _____, ...told } = module;
  return told as unknown as JsonObject;
}

async function policyOf(id: string | null, snapshots: Snapshots): Promise<JsonObject | null> {
  if (id === null) return null;
  const { body } = await snapshots.load(id);
  return { snapshot_id: id, body };
}

function requestOf({
  terms,
  status,
  votes,
  signatures,
  execution,
  review,
}: typeof REQUEST_FOLD.initial): JsonObject | null {
  if (!terms) return null;
  return { status, votes, signatures, execution, review } as unknown as JsonObject;
}
