import type { EventDefinition, JsonObject } from '#lib/kernel';

export const AMENDMENT_EFFECTS = ['note', 'override_suggestion', 'revalidate'] as const;
export type AmendmentEffect = (typeof AMENDMENT_EFFECTS)[number];

/** A correction or remark beside a log, which itself never changes (seed 001, ReflectiveLog D). */
export interface Amendment {
  readonly amendment_id: string;
  readonly target_log_id: string;
  readonly created_at: string;
  readonly author: string;
  readonly effect: AmendmentEffect;
  readonly changes: JsonObject;
}

const ofUser = (data: JsonObject): string => data['user_id'] as string;

/** Events of `amendment-{log_id}`: everything that is said of a log after it was written. */
export const amendmentEvents: readonly EventDefinition[] = [
  {
    type: 'AMENDMENT_ADDED',
    version: 1,
    plain: ['amendment_id', 'target_log_id', 'created_at', 'author', 'effect', 'user_id'],
    personal: ['changes'],
    subject: ofUser,
  },
  {
    type: 'FEEDBACK_GIVEN',
    version: 1,
    plain: ['target_log_id', 'job_id', 'created_at', 'author', 'upvote', 'user_id'],
    personal: ['comment'],
    subject: ofUser,
  },
  /** The log failed its check: quarantined until an admin verifies it again. */
  { type: 'INTEGRITY_FAILURE', version: 1, plain: ['target_log_id', 'job_id', 'stream', 'revision', 'reason'] },
];

export function amendmentStream(logId: string): string {
  return `amendment-${logId}`;
}
