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

/** As it is kept: whether its clearing counts is told by the key that signed that, once it is known when keys were retired. */
export interface KeptHalt extends HaltRow {
  readonly signed: ClearingSignature | null;
}

export type ClearingSignature = Readonly<Record<'kid', string> & Record<'position', number>>;

/** One clearing of a snapshot, whether it counts or not. */
export interface KeptClearing {
  readonly snapshot_id: string;
  readonly position: number;
  readonly kid: string;
  readonly cleared: NonNullable<HaltRow['cleared']>;
}

export const HALTS_COLLECTION: CollectionDefinition = { name: 'halts', indexes: ['status', 'position'] };
export const CLEARINGS_COLLECTION: CollectionDefinition = { name: 'clearings', indexes: ['snapshot_id', 'position'] };

/** Snapshots that are halted, and those that were. Whether a clearing counts is for the list to say (HaltList). */
export const haltsProjection: Projection = {
  name: 'halts',
  version: 2,
  collections: [HALTS_COLLECTION, CLEARINGS_COLLECTION],
  types: [HALT, CLEAR],
  project: (event: ProjectedEvent): readonly Change[] => (event.type === HALT ? [halted(event)] : cleared(event)),
};

function halted({ data, metadata, position }: ProjectedEvent): Change {
  const { snapshot_id, cause_event_id, cause_type, cause_stream, halted_at } = data as unknown as ForceHaltReplay;
  const row: KeptHalt = {
    snapshot_id,
    status: 'halted',
    cause: { event_id: cause_event_id, type: cause_type, stream: cause_stream },
    since: halted_at,
    halt_event_id: metadata.event_id,
    cleared: null,
    signed: null,
    position: Number(position),
  };
  return { op: 'put', collection: HALTS_COLLECTION.name, id: snapshot_id, body: { ...row } };
}

function cleared({ data, metadata: { event_id, kid }, position }: ProjectedEvent): readonly Change[] {
  const { snapshot_id, action_request_id, verified_by, approvals, cleared_at } = data as unknown as ForceHaltClear;
  const clearing = { action_request_id, verified_by, approvals: [...approvals], cleared_at };
  const signed = { kid, position: Number(position) };
  const fields = { status: 'cleared', cleared: clearing, signed };
  return [
    { op: 'merge', collection: HALTS_COLLECTION.name, id: snapshot_id, fields },
    {
      op: 'put',
      collection: CLEARINGS_COLLECTION.name,
      id: event_id,
      body: { snapshot_id, ...signed, cleared: clearing },
    },
  ];
}
