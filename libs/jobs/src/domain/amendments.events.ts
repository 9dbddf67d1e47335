import type { EventDefinition, JsonObject } from '#lib/kernel';

export const AMENDMENT_EFFECTS = ['note', 'override_suggestion', 'revalidate'] as const;
export type AmendmentEffect = (typeof AMENDMENT_EFFECTS)[number];

/** As whom somebody speaks of a log: the least that gave them the right. `emergency` is a ruling past the council. */
export type AuthorRole = 'owner' | 'admin' | 'council' | 'emergency';

/** A correction or remark beside a log, which itself never changes (seed 001, ReflectiveLog D). */
export interface Amendment {
  readonly amendment_id: string;
  readonly target_log_id: string;
  readonly created_at: string;
  readonly author: string;
  readonly author_role: AuthorRole;
  readonly effect: AmendmentEffect;
  readonly changes: JsonObject;
  /** Of one that asks to look again: the replay that follows it. */
  readonly replay_id?: string;
}

/** Name of the reactor that replays what an amendment asks to look at again. */
export const REVALIDATION = 'revalidation';

/** Whether a job's answer was right, by somebody who knows (seed 001, ReflectiveLog C); it moves its module's trust. */
export interface GroundTruth {
  readonly event_id: string;
  readonly target_log_id: string;
  readonly job_id: string;
  /** The module whose answer it is. */
  readonly node_id: string;
  readonly created_at: string;
  readonly author: string;
  readonly author_role: AuthorRole;
  readonly correct: boolean;
  readonly note?: string;
}

/** An admin's annotation (seed 001, ReflectiveLog C). */
export interface AuditTag {
  readonly event_id: string;
  readonly target_log_id: string;
  readonly created_at: string;
  readonly author: string;
  readonly tag: string;
  readonly note?: string;
}

/** Allowed form of a tag. */
export const AUDIT_TAG = /^[a-z][a-z0-9_-]{0,63}$/;
/** Most characters of a note (seed 001, ReflectiveLog H). */
export const MAX_NOTE = 4000;

const ofUser = (data: JsonObject): string => data['user_id'] as string;
/** `job_id` says under which consents it may be told: an amendment may quote the job. */
const SAID = ['target_log_id', 'job_id', 'created_at', 'author', 'user_id'];

/** Events of `amendment-{log_id}`: everything that is said of a log after it was written. */
export const amendmentEvents: readonly EventDefinition[] = [
  {
    type: 'AMENDMENT_ADDED',
    version: 1,
    plain: [...SAID, 'amendment_id', 'author_role', 'effect'],
    personal: ['changes'],
    subject: ofUser,
  },
  {
    type: 'FEEDBACK_GIVEN',
    version: 1,
    plain: [...SAID, 'upvote'],
    personal: ['comment'],
    subject: ofUser,
  },
  {
    type: 'GROUND_TRUTH_LABEL',
    version: 1,
    plain: [...SAID, 'node_id', 'author_role', 'correct'],
    personal: ['note'],
    subject: ofUser,
  },
  { type: 'AUDIT_TAG_ADDED', version: 1, plain: [...SAID, 'tag'], personal: ['note'], subject: ofUser },
  /**
   * The log failed its check: quarantined until an admin verifies it again. One that an admin reports stands in
   * `system-integrity`, with what was seen as evidence; so does each fault that a walk over the log finds, with the
   * check that found it (`detector`) and its place.
   */
  {
    type: 'INTEGRITY_FAILURE',
    version: 1,
    plain: [
      'target_log_id',
      'job_id',
      'node_id',
      'stream',
      'revision',
      'reason',
      'evidence_ref',
      'detector',
      'position',
    ],
  },
  /** A quarantined log verified again, by an admin's order: it is read and replayed from here on. */
  { type: 'LOG_REVERIFIED', version: 1, plain: ['target_log_id', 'job_id', 'stream', 'version'] },
];

export function amendmentStream(logId: string): string {
  return `amendment-${logId}`;
}
