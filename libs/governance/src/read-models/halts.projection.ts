import type { ProjectedEvent, Projection } from '#lib/projections';
import type { Change, CollectionDefinition } from '#lib/read-store';

import { CLEAR, type ForceHaltClear, type ForceHaltReplay, HALT, type HaltingType } from '../domain/snapshot-halt.js';

export interface HaltRow {
  readonly snapshot_id: string;
  readonly status: 'halted' | 'cleared';
  /** The event that put on the newest halt. */
  readonly cause: { readonly event_id: string; readonly type: HaltingType; readonly stream: string };
  /** Real time of the newest halt, ISO 8601. */
  readonly since: string;
  readonly halt_event_id: string;
  /** How the newest halt came off; null while it stands. */
  readonly cleared: Pick<ForceHaltClear, 'action_request_id' | 'verified_by' | 'approvals' | 'cleared_at'> | null;
  /** Position of the newest halt: what lists sort by. */
  readonly position: number;
}

export const HALTS_COLLECTION: CollectionDefinition = { name: 'halts', indexes: ['status', 'position'] };

/** Snapshots that are halted, and those that were. */
export const haltsProjection: Projection = {
  name: 'halts',
  version: 1,
  collections: [HALTS_COLLECTION],
  types: [HALT, CLEAR],
  project: (event: ProjectedEvent): readonly Change[] => [event.type === HALT ? halted(event) : cleared(event)],
};

function halted({ data, metadata, position }: ProjectedEvent): Change {
  const { snapshot_id, cause_event_id, cause_type, cause_stream, halted_at } = data as unknown as ForceHaltReplay;
  const row: HaltRow = {
    snapshot_id,
    status: 'halted',
    cause: { event_id: cause_event_id, type: cause_type, stream: cause_stream },
    since: halted_at,
    halt_event_id: metadata.event_id,
    cleared: null,
    position: Number(position),
  };
  return { op: 'put', collection: HALTS_COLLECTION.name, id: snapshot_id, body: { ...row } };
}

function cleared({ data }: ProjectedEvent): Change {
  const { snapshot_id, action_request_id, verified_by, approvals, cleared_at } = data as unknown as ForceHaltClear;
  const fields = {
    status: 'cleared',
    cleared: { action_request_id, verified_by, approvals: [...approvals], cleared_at },
  };
  return { op: 'merge', collection: HALTS_COLLECTION.name, id: snapshot_id, fields };
}
