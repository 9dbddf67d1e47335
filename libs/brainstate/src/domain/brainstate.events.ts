import type { DomainEvent, EventDefinition, Json, JsonObject } from '#lib/kernel';

import type { BrainState } from './brainstate.js';

/** What was found in a value and is stored in its place: a type and a keyed hash, never the text. */
export interface RedactedFinding {
  readonly pii_type: string;
  readonly category: string;
  readonly pii_hash: string;
}

/** In `brainstate-{snapshot_id}`: something to be held in working memory from the tick on that names this event. */
export interface WmInsert {
  readonly brainstate_snapshot_id: string;
  /** Whose BrainState it is. */
  readonly user_id: string;
  readonly type: string;
  readonly ttl_ticks: number;
  readonly value: Json;
  readonly redacted: readonly RedactedFinding[];
}

/** BrainState after a tick: in the stream of its job, or of its snapshot where the tick was asked for by itself. */
export interface BrainStateTick extends BrainState {
  readonly brainstate_id: string;
  readonly user_id: string;
  /** The signed events that the tick took in; only outside a job. */
  readonly event_ids?: readonly string[];
}

/** In `brainstate-{binding}`: the one snapshot that a person's job of this seed will run on. */
export interface SnapshotBound {
  readonly brainstate_snapshot_id: string;
  readonly job_seed: string;
  readonly created_by: string;
  /** Real time of the command, ISO 8601. */
  readonly created_at: string;
}

const ofUser = (data: JsonObject): string => data['user_id'] as string;

export const brainstateEvents: readonly EventDefinition[] = [
  {
    type: 'BRAINSTATE_SNAPSHOT_BOUND',
    version: 1,
    plain: ['brainstate_snapshot_id', 'job_seed', 'created_by', 'created_at'],
  },
  {
    type: 'WM_INSERT',
    version: 1,
    plain: ['brainstate_snapshot_id', 'user_id', 'type', 'ttl_ticks', 'redacted'],
    personal: ['value'],
    subject: ofUser,
  },
  {
    type: 'BRAINSTATE_TICK',
    version: 1,
    plain: [
      'brainstate_id',
      'user_id',
      'tick',
      'wm_counter',
      'attention',
      'resource_budget',
      'goals',
      'recent_failures',
      'event_ids',
    ],
    personal: ['WM', 'CWM'],
    subject: ofUser,
  },
  {
    type: 'episodic_summary',
    version: 1,
    plain: ['episodic_id', 'brainstate_id', 'user_id', 'ticks', 'tokens_used', 'redacted'],
    personal: ['topic', 'items', 'redactions'],
    subject: ofUser,
  },
];

interface BrainStateEventData {
  readonly BRAINSTATE_SNAPSHOT_BOUND: SnapshotBound;
  readonly WM_INSERT: WmInsert;
  readonly BRAINSTATE_TICK: BrainStateTick;
}

/** A domain event from typed data: the one cast between BrainState's types and JSON. */
export function brainstateEvent<T extends keyof BrainStateEventData>(
  type: T,
  data: BrainStateEventData[T],
): DomainEvent {
  return { type, data: data as unknown as JsonObject };
}

export function brainstateStream(snapshotId: string): string {
  return `brainstate-${snapshotId}`;
}
