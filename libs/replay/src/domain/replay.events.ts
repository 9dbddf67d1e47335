import type { EventDefinition, JsonObject } from '#lib/kernel';

import type { ValueDifference } from './diff.js';

export const REPLAY_MODES = ['audit', 'reexecute', 'production'] as const;
export type ReplayMode = (typeof REPLAY_MODES)[number];

export type Verdict = 'MATCH' | 'MATCH_WITH_ERASED_INPUTS' | 'MISMATCH';

/** One verification step with its own verdict. */
export interface ReplayStep {
  readonly step: string;
  readonly verdict: 'ok' | 'failed' | 'erased';
  /** How many objects were checked. */
  readonly checked: number;
  readonly detail: string;
}

/** The first place where the rerun and the record part. */
export interface Divergence {
  readonly error_code: 'REPLAY_DIVERGENCE' | 'RESULT_MISMATCH';
  /** Index in the job's stream. */
  readonly event_number: number;
  readonly event_type: string;
  readonly differences: readonly ValueDifference[];
}

export interface ReplayResult {
  readonly replay_id: string;
  readonly job_id: string;
  readonly mode: ReplayMode;
  readonly verdict: Verdict | null;
  /** False for anything that must not stand as proof. */
  readonly authoritative: boolean;
  readonly steps: readonly ReplayStep[];
  readonly divergence: Divergence | null;
  /** Why the replay was refused; null where it ran to a verdict. */
  readonly error_code: string | null;
}

/** Whose job it is: differences quote the record, which may hold what that person said. */
const ofUser = (data: JsonObject): string | null => data['user_id'] as string | null;

/** Events of `replay-{replay_id}`. */
export const replayEvents: readonly EventDefinition[] = [
  { type: 'REPLAY_REQUEST', version: 1, plain: ['replay_id', 'job_id', 'mode', 'actor_id'] },
  {
    type: 'REPLAY_RESULT',
    version: 1,
    plain: ['replay_id', 'job_id', 'mode', 'verdict', 'authoritative', 'steps', 'error_code', 'user_id'],
    personal: ['divergence'],
    subject: ofUser,
  },
];

export function replayStream(replayId: string): string {
  return `replay-${replayId}`;
}
