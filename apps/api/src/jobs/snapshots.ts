import { SNAPSHOT_KINDS, type SnapshotKind, type Snapshots, type SnapshotSet } from '#lib/governance';
import type { JsonObject } from '#lib/kernel';
import { CATEGORY_OF, DETECTOR_VERSION } from '#lib/privacy';
import type { SelfrepSnapshots } from '#lib/selfrep';

import { configFile } from '../configuration-files.js';

/**
 * The snapshots that jobs pin from now on; a changed file makes a new one, what is running keeps its own. That of the
 * modules is whichever is current when a job begins.
 */
export async function currentSnapshots(snapshots: Snapshots, selfrep: SelfrepSnapshots): Promise<SnapshotSet> {
  const bodies: Record<Exclude<SnapshotKind, 'selfrep'>, JsonObject> = {
    router: configFile('router'),
    brainstate: configFile('brainstate'),
    governance: configFile('governance'),
    privacy: { detector_version: DETECTOR_VERSION, categories: CATEGORY_OF },
    safety: configFile('safety'),
  };
  const entries = await Promise.all(
    SNAPSHOT_KINDS.map(async (kind) =>
      kind === 'selfrep' ? [] : [[kind, await snapshots.ensure(kind, bodies[kind])] as const],
    ),
  );
  const fixed = Object.fromEntries(entries.flat()) as Omit<SnapshotSet, 'selfrep'>;
  return {
    ...fixed,
    get selfrep() {
      return selfrep.current;
    },
  };
}
