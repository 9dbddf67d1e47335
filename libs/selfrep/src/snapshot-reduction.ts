import { retiredKeys } from '#lib/access';
import { type EventLog, IntegrityError, type LoggedEvent } from '#lib/event-store';
import { policyStream, type PolicyChanged, type Snapshot, snapshotStream } from '#lib/governance';
import type { Json } from '#lib/kernel';

import type { ChunkBody, SelfrepBody, SnapshotModule } from './domain/chunks.js';
import type { SelfrepConstants } from './domain/constants.js';
import { moduleStream } from './domain/module.events.js';
import { EntryReduction } from './domain/reduction.js';
import type { LoadSnapshot } from './snapshot-modules.js';

/** What a selfrep snapshot says of a module, and what the module's events come to. */
export interface ReductionDifference {
  /** The snapshot that holds the entry: a chunk, or the snapshot itself. */
  readonly snapshot_id: string;
  /** Index among its modules. */
  readonly index: number;
  readonly recorded: Json;
  readonly computed: Json;
}

export interface Reduction {
  /** How many modules were reduced. */
  readonly modules: number;
  readonly difference: ReductionDifference | null;
}

/** Once a snapshot and process: neither a snapshot nor the events before it change, and their signatures are checked apart. */
const known = new WeakMap<Snapshot, Promise<Reduction>>();

/**
 * Reduces a selfrep snapshot again from its modules' events (spec/replay.md, "trust reductions").
 * @param snapshot as `load` gives it: the same object for the same stored bytes
 * @throws IntegrityError of a module's stream; what `load` throws
 */
export function reduceSnapshot(log: EventLog, snapshot: Snapshot, load: LoadSnapshot): Promise<Reduction> {
  const before = known.get(snapshot);
  if (before) return before;
  const reduction = reduce(log, snapshot, load);
  known.set(snapshot, reduction);
  // What could not be read may be there the next time.
  reduction.catch(() => known.delete(snapshot));
  return reduction;
}

async function reduce(log: EventLog, snapshot: Snapshot, load: LoadSnapshot): Promise<Reduction> {
  const body = snapshot.body as unknown as Partial<SelfrepBody & ChunkBody>;
  const position = await positionOf(log, snapshot);
  const retired = await retiredKeys(log, 'event-hmac');
  const eras = await erasOf(log, body.constants, load, retired);
  let modules = 0;
  for (const chunk of body.chunks ? await Promise.all(body.chunks.map(load)) : [snapshot]) {
    const entries = (chunk.body as unknown as ChunkBody).modules;
    for (const [index, entry] of entries.entries()) {
      const reduction = new EntryReduction(entry, position, eras);
      await log.each(moduleStream(entry.node_id), {}, (event) => {
        refuseRetired(event, retired);
        reduction.take(event);
      });
      const { equal, computed } = reduction.result;
      if (!equal) return { modules, difference: differenceOf(chunk, index, entry, computed) };
      modules++;
    }
  }
  return { modules, difference: null };
}

function differenceOf(
  { snapshot_id }: Snapshot,
  index: number,
  entry: SnapshotModule,
  computed: SnapshotModule | null,
): ReductionDifference {
  return { snapshot_id, index, recorded: entry as unknown as Json, computed: computed as unknown as Json };
}

async function positionOf(log: EventLog, { snapshot_id }: Snapshot): Promise<string> {
  const { events } = await log.store.readStream(snapshotStream(snapshot_id), { limit: 1 });
  return events[0]!.position;
}

async function erasOf(
  log: EventLog,
  own: SelfrepConstants | undefined,
  load: LoadSnapshot,
  retired: RetiredKeys,
): Promise<readonly SelfrepConstants[]> {
  const ids: string[] = [];
  await log.each(policyStream('selfrep'), {}, (event) => {
    refuseRetired(event, retired);
    ids.push((event.data as unknown as PolicyChanged).snapshot_id);
  });
  const eras = (await Promise.all(ids.map(load))).map(({ body }) => body as unknown as SelfrepConstants);
  return eras.length > 0 || !own ? eras : [own];
}

/** Positions after which a key signs no more, by kid. */
type RetiredKeys = Readonly<Record<string, string>>;

/** @throws IntegrityError for an event that was signed with a key retired before it */
function refuseRetired({ stream, revision, position, metadata }: LoggedEvent, retired: RetiredKeys): void {
  const { kid } = metadata;
  if (Object.hasOwn(retired, kid) && BigInt(position) > BigInt(retired[kid]!))
    throw new IntegrityError(stream, revision, `key ${kid} was retired before, and signs no more`);
}
