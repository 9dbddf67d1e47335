import type { JsonObject } from '#lib/kernel';
import type { ProjectedEvent, Projection } from '#lib/projections';
import type { Change, CollectionDefinition } from '#lib/read-store';

import type { BrainStateTick, SnapshotBound } from '../domain/brainstate.events.js';

/** One document a BrainState: what lists show. What it holds in mind stays in its stream. */
export interface BrainStateRow {
  /** The job that it is of, or the snapshot where it is beside a job; the document's id too. */
  readonly job_id: string | null;
  readonly brainstate_snapshot_id: string | null;
  /** Null before the first tick. */
  readonly brainstate_id: string | null;
  readonly user_id: string;
  readonly tick: number;
  readonly attention: BrainStateTick['attention'] | null;
  readonly resource_budget: BrainStateTick['resource_budget'] | null;
  readonly goals: number;
  readonly recent_failures: number;
  /** When its newest event was recorded, ISO 8601; null where release 0.1 did so, whose events say no time. */
  readonly last_updated: string | null;
  /** Position of its first event: what lists sort by. */
  readonly position: number;
}

export const BRAINSTATES_COLLECTION: CollectionDefinition = { name: 'brainstates', indexes: ['user_id', 'position'] };

const JOB_STREAM = 'job-';
const OWN_STREAM = 'brainstate-';

/** BrainStates of jobs, as their ticks left them, and those that somebody prepared. No personal field is in it. */
export const brainstateProjection: Projection = {
  name: 'brainstate',
  version: 1,
  collections: [BRAINSTATES_COLLECTION],
  types: ['BRAINSTATE_SNAPSHOT_BOUND', 'BRAINSTATE_TICK'],
  project(event: ProjectedEvent): readonly Change[] {
    const collection = BRAINSTATES_COLLECTION.name;
    const id = idOf(event);
    if (event.type === 'BRAINSTATE_TICK') return [{ op: 'merge', collection, id, fields: ticked(event) }];
    return [{ op: 'put', collection, id, body: bound(event) }];
  },
  /** That one was prepared stands in a stream of its own, which follows from whose job it is for. */
  partition: idOf,
};

function idOf({ type, data, stream }: ProjectedEvent): string {
  if (type === 'BRAINSTATE_SNAPSHOT_BOUND') return (data as unknown as SnapshotBound).brainstate_snapshot_id;
  return stream.slice((stream.startsWith(JOB_STREAM) ? JOB_STREAM : OWN_STREAM).length);
}

function bound(event: ProjectedEvent): JsonObject {
  const { brainstate_snapshot_id, created_by } = event.data as unknown as SnapshotBound;
  const row: BrainStateRow = {
    job_id: null,
    brainstate_snapshot_id,
    brainstate_id: null,
    user_id: created_by,
    tick: 0,
    attention: null,
    resource_budget: null,
    goals: 0,
    recent_failures: 0,
    last_updated: event.metadata.recorded_at ?? null,
    position: Number(event.position),
  };
  return { ...row } as unknown as JsonObject;
}

/** A job has one tick, which makes its document; any other comes after what made it. */
function ticked(event: ProjectedEvent): JsonObject {
  const { brainstate_id, user_id, tick, attention, resource_budget, goals, recent_failures } =
    event.data as unknown as BrainStateTick;
  const isOfJob = event.stream.startsWith(JOB_STREAM);
  const fields: Partial<BrainStateRow> = {
    brainstate_id,
    user_id,
    tick,
    attention,
    resource_budget,
    goals: goals?.length ?? 0,
    recent_failures: recent_failures?.length ?? 0,
    last_updated: event.metadata.recorded_at ?? null,
    ...(isOfJob ? { job_id: idOf(event), brainstate_snapshot_id: null, position: Number(event.position) } : {}),
  };
  return fields as unknown as JsonObject;
}
