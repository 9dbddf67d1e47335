import type { JsonObject } from '#lib/kernel';
import type { ProjectedEvent, Projection } from '#lib/projections';
import type { Change, CollectionDefinition } from '#lib/read-store';

import type { ReplayMode, Verdict } from '../domain/replay.events.js';

/** One document a replay: what lists show. What differed stays in the replay's stream. */
export interface ReplayRow {
  readonly replay_id: string;
  readonly job_id: string;
  readonly mode: ReplayMode;
  readonly actor_id: string;
  readonly requested_at: string;
  /** `refused` where it came to no verdict. */
  readonly status: 'running' | 'done' | 'refused';
  readonly verdict: Verdict | null;
  readonly authoritative: boolean;
  readonly error_code: string | null;
  readonly forced_by: string | null;
  /** Position of REPLAY_REQUEST: what lists sort by. */
  readonly position: number;
}

export const REPLAYS_COLLECTION: CollectionDefinition = {
  name: 'replays',
  indexes: ['job_id', 'verdict', 'position'],
};

export const replaysProjection: Projection = {
  name: 'replays',
  version: 1,
  collections: [REPLAYS_COLLECTION],
  types: ['REPLAY_REQUEST', 'REPLAY_RESULT'],
  project(event: ProjectedEvent): readonly Change[] {
    const id = event.data['replay_id'] as string;
    const fields = event.type === 'REPLAY_REQUEST' ? requested(event) : concluded(event.data);
    return [{ op: 'merge', collection: REPLAYS_COLLECTION.name, id, fields }];
  },
};

function requested({ data, position }: ProjectedEvent): JsonObject {
  const { replay_id, job_id, mode, actor_id, requested_at } = data as unknown as ReplayRow;
  const row: ReplayRow = {
    replay_id,
    job_id,
    mode,
    actor_id,
    requested_at,
    status: 'running',
    verdict: null,
    authoritative: false,
    error_code: null,
    forced_by: null,
    position: Number(position),
  };
  return { ...row };
}

function concluded({ verdict, authoritative, error_code, forced_by }: JsonObject): JsonObject {
  return {
    status: verdict === null ? 'refused' : 'done',
    verdict: verdict ?? null,
    authoritative: authoritative ?? false,
    error_code: error_code ?? null,
    forced_by: forced_by ?? null,
  };
}
