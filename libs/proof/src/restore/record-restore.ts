import { type EventLog, type EventStore, type Fold, START } from '#lib/event-store';
import { systemSeed, traceId } from '#lib/kernel';
import { parseCheckpoint, parseNote } from '#lib/verifier';

import type { LogRestored } from '../domain/restore.events.js';
import { treeOf } from '../kept-tree.js';
import { dropPlan, planIn, type RestorePlan } from './restore-plan.js';

const STREAM = 'system-log';

/** Origins that the log was given by a restore. */
const ORIGINS: Fold<readonly string[]> = {
  name: 'log-origins',
  initial: [],
  evolve: (origins, { type, data }) => (type === 'LOG_RESTORED' ? [...origins, data['origin'] as string] : origins),
};

/**
 * Puts a restore on record, once, before anything else is appended. Only who holds the folder and its keys can have made
 * it, so it counts as an elevated admin's, in the name `local`. The plan stays until `endRestore`.
 * @param then what belongs to the restore, once it is on record; broken off, it is done again at the next start
 */
export async function recordRestore(log: EventLog, folder: string, then?: () => Promise<unknown>): Promise<void> {
  const plan = planIn(folder);
  if (!plan) return;
  const size = await sizeOf(log.store);
  const jobSeed = systemSeed('log', plan.origin.replaceAll('/', '.'));
  const data: LogRestored = restored(plan, size);
  await log.execute({
    stream: STREAM,
    fold: ORIGINS,
    provenance: { jobSeed, sequenceIndex: 0, actor: { id: 'local', role: 'admin' }, traceId: traceId(jobSeed) },
    decide: (origins) => (origins.includes(plan.origin) ? [] : [{ type: 'LOG_RESTORED', data: { ...data } }]),
  });
  await then?.();
}

/** Once the log that was restored is served: until then another copy may be given in its place. */
export function endRestore(folder: string): void {
  dropPlan(folder);
}

/** A store that cannot tell is read: there is one restore, and many starts. */
async function sizeOf(store: EventStore): Promise<number> {
  if (store.count) return store.count(START);
  return (await treeOf(store)).size;
}

function restored(plan: RestorePlan, size: number): LogRestored {
  const { origin, previous_origin, previous_note, erased_keys, returned_keys, restored_at } = plan;
  const previous = previous_note === null ? null : parseCheckpoint(parseNote(previous_note).text);
  return {
    origin,
    previous_origin,
    previous_size: previous?.size ?? null,
    previous_root: previous?.root.toString('hex') ?? null,
    previous_note,
    restored_size: size,
    erased_keys,
    returned_keys,
    restored_at,
  };
}
