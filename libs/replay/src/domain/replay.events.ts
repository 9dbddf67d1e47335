import type { EventDefinition, JsonObject } from '#lib/kernel';

import type { Divergence } from './divergence.js';

export const REPLAY_MODES = ['audit', 'reexecute', 'production'] as const;
export type ReplayMode = (typeof REPLAY_MODES)[number];

export const VERDICTS = ['MATCH', 'MATCH_WITH_ERASED_INPUTS', 'MISMATCH'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** One verification step with its own verdict. */
export interface ReplayStep {
  readonly step: string;
  /** `unchecked`: nothing could be looked at, so that the result is no proof. */
  readonly verdict: 'ok' | 'failed' | 'erased' | 'unchecked';
  /** How many objects were checked. */
  readonly checked: number;
  readonly detail: string;
  /** What it took, whole microseconds; measured, and no part of what two replays are compared by. */
  readonly cost_us: number;
}

export interface ReplayResult {
  readonly replay_id: string;
  readonly job_id: string;
  readonly mode: ReplayMode;
  readonly verdict: Verdict | null;
  /** False for anything that must not stand as proof. */
  readonly authoritative: boolean;
  readonly steps: readonly ReplayStep[];
  /** The first place where rerun and record part. */
  readonly divergence: Divergence | null;
  /** Every place, where it was allowed to go on past the first; at most MAX_DIVERGENCES of them. */
  readonly further: readonly Divergence[];
  readonly divergences_total: number;
  /** agent_ids whose engine's words were given by whoever asked. */
  readonly mocked: readonly string[];
  /** Id of the approved request under which it went on past a difference; null where it did not. */
  readonly forced_by: string | null;
  /** Why the replay was refused, or what it found; null where it is a MATCH. */
  readonly error_code: string | null;
}

export const MAX_DIVERGENCES = 16;

/** Why a replay was stopped (seed 002 section 12). */
export interface ReplayTimeout {
  readonly limit: 'max_replay_ms' | 'max_iterations' | 'agent_timeout_ms';
  /** Of the job's own governance snapshot. */
  readonly allowed: number;
  /** Of the job's stream, the last that was compared; null before any. */
  readonly event_number: number | null;
}

/** The approvals under which a replay goes on past a difference (seed 002 section 7). */
export interface ForceContinue {
  readonly replay_id: string;
  readonly job_id: string;
  /** The admin who goes on. */
  readonly actor_id: string;
  readonly action_request_id: string;
  /** sha256 of the REPLAY_DIVERGENCE event as stored, which the council decided on. */
  readonly divergence_digest: string;
  /** What each vote signed. */
  readonly proposal_digest: string;
  readonly approvals: readonly string[];
  readonly approved_at: string;
}

/** Whose job it is: differences quote the record, which may hold what that person said. */
const ofUser = (data: JsonObject): string | null => data['user_id'] as string | null;

/** Events of `replay-{replay_id}`. */
export const replayEvents: readonly EventDefinition[] = [
  {
    type: 'REPLAY_REQUEST',
    version: 1,
    plain: ['replay_id', 'job_id', 'mode', 'actor_id', 'mocked', 'approval_id', 'requested_at'],
  },
  {
    type: 'REPLAY_DIVERGENCE',
    version: 1,
    plain: ['replay_id', 'job_id', 'user_id', 'error_code', 'stream', 'event_number', 'event_type'],
    personal: ['divergence'],
    subject: ofUser,
  },
  { type: 'REPLAY_TIMEOUT', version: 1, plain: ['replay_id', 'job_id', 'limit', 'allowed', 'event_number'] },
  {
    type: 'FORCE_CONTINUE',
    version: 1,
    plain: [
      'replay_id',
      'job_id',
      'actor_id',
      'action_request_id',
      'divergence_digest',
      'proposal_digest',
      'approvals',
      'approved_at',
    ],
  },
  {
    type: 'REPLAY_RESULT',
    version: 1,
    plain: [
      'replay_id',
      'job_id',
      'mode',
      'verdict',
      'authoritative',
      'steps',
      'divergences_total',
      'mocked',
      'forced_by',
      'error_code',
      'user_id',
    ],
    personal: ['further'],
    subject: ofUser,
  },
];

export function replayStream(replayId: string): string {
  return `replay-${replayId}`;
}
