import { SNAPSHOT_KINDS, type SnapshotKind, type Snapshots, type SnapshotSet } from '#lib/governance';
import type { JsonObject } from '#lib/kernel';
import { CATEGORY_OF, DETECTOR_VERSION } from '#lib/privacy';
import { BUILT_IN_MODULES, type BuiltInModule, type RoutingModule } from '#lib/routing';

import { configFile } from '../configuration-files.js';

/** The snapshots that jobs pin from now on; a changed file makes a new one, what is running keeps its own. */
export async function currentSnapshots(snapshots: Snapshots): Promise<SnapshotSet> {
  const bodies: Record<SnapshotKind, JsonObject> = {
    router: configFile('router'),
    brainstate: configFile('brainstate'),
    selfrep: { modules: BUILT_IN_MODULES.map(registered) } as unknown as JsonObject,
    governance: configFile('governance'),
    privacy: { detector_version: DETECTOR_VERSION, categories: CATEGORY_OF },
    safety: configFile('safety'),
  };
  const entries = await Promise.all(
    SNAPSHOT_KINDS.map(async (kind) => [kind, await snapshots.ensure(kind, bodies[kind])] as const),
  );
  return Object.fromEntries(entries) as SnapshotSet;
}

/** A module as it stands when it registers: nothing has failed yet. */
function registered(module: BuiltInModule): RoutingModule {
  return { ...module, status: 'healthy', dependency_unhealthy: false };
}
