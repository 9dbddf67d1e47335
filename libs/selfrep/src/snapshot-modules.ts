import { IntegrityError } from '#lib/event-store';
import { type Snapshot, snapshotStream } from '#lib/governance';
import type { RoutingModule } from '#lib/routing';

import { type ChunkBody, routable, type SelfrepBody } from './domain/chunks.js';

/** One array a snapshot, for as long as the snapshot is in memory: routing keeps what it sorted with the array. */
const known = new WeakMap<Snapshot, readonly RoutingModule[]>();

/** Loads and verifies a snapshot by its id. */
export type LoadSnapshot = (id: string) => Promise<Snapshot>;

/**
 * The modules of a selfrep snapshot, its chunks loaded. Snapshots that hold their modules in themselves are of an
 * earlier form, and stay readable.
 * @throws what `load` throws; IntegrityError where the chunks are not those that were counted
 */
export async function loadSnapshotModules(snapshot: Snapshot, load: LoadSnapshot): Promise<readonly RoutingModule[]> {
  const there = known.get(snapshot);
  if (there) return there;
  const { chunks, module_count } = snapshot.body as unknown as Partial<SelfrepBody>;
  if (!chunks) return rememberModules(snapshot, (snapshot.body as unknown as ChunkBody).modules);
  const bodies = await Promise.all(chunks.map(async (id) => (await load(id)).body as unknown as ChunkBody));
  const modules = bodies.flatMap((body) => body.modules);
  if (modules.length !== module_count) {
    throw new IntegrityError(snapshotStream(snapshot.snapshot_id), 0, `its chunks hold ${modules.length} modules`);
  }
  return rememberModules(snapshot, modules);
}

/**
 * The same, of a snapshot whose chunks were loaded.
 * @throws Error where they were not: a fault of ours
 */
export function snapshotModules(snapshot: Snapshot): readonly RoutingModule[] {
  const there = known.get(snapshot);
  if (there) return there;
  const { modules } = snapshot.body as unknown as Partial<ChunkBody>;
  if (!modules) throw new Error(`the chunks of selfrep snapshot ${snapshot.snapshot_id} were not loaded`);
  return rememberModules(snapshot, modules);
}

export function rememberModules(snapshot: Snapshot, modules: ChunkBody['modules']): readonly RoutingModule[] {
  const routed: readonly RoutingModule[] = routable(modules);
  known.set(snapshot, routed);
  return routed;
}
