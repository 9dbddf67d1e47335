import type { BrainStateConstants } from '#lib/brainstate';
import type { SafetyRules } from '#lib/council';
import { SNAPSHOT_KINDS, type SnapshotKind, type Snapshots, type SnapshotSet } from '#lib/governance';
import type { RouterConstants } from '#lib/routing';
import { loadSnapshotModules, snapshotModules } from '#lib/selfrep';

import type { EngineInput, JobLimits } from './engine/input.js';

/** The part of an engine's input that its snapshots give. */
export type SnapshotInput = Pick<
  EngineInput,
  'snapshotIds' | 'router' | 'brainstate' | 'limits' | 'safety' | 'modules'
>;

export function snapshotInput(set: SnapshotSet): SnapshotInput {
  return {
    snapshotIds: Object.fromEntries(SNAPSHOT_KINDS.map((kind) => [kind, set[kind].snapshot_id])),
    router: set.router.body as unknown as RouterConstants,
    brainstate: set.brainstate.body as unknown as BrainStateConstants,
    limits: set.governance.body as unknown as JobLimits,
    safety: set.safety.body as unknown as SafetyRules,
    modules: snapshotModules(set.selfrep),
  };
}

/** The snapshots that a job pinned, by the ids it recorded. @throws MaceError MISSING_SNAPSHOT, IntegrityError */
export async function pinnedSnapshots(
  snapshots: Pick<Snapshots, 'load'>,
  ids: Readonly<Record<string, string>>,
): Promise<SnapshotSet> {
  const entries = await Promise.all(
    SNAPSHOT_KINDS.map(async (kind) => [kind, await snapshots.load(ids[kind] ?? `none of kind ${kind}`)] as const),
  );
  const set = Object.fromEntries(entries) as Record<SnapshotKind, SnapshotSet[SnapshotKind]>;
  await loadSnapshotModules(set.selfrep, (id) => snapshots.load(id));
  return set;
}
