/**
 * What of each event a person may take away: what they said, were told and allowed. Scores, routes and votes tell of the
 * system, hashes and secrets of nothing a person could use; values of memory are read by key.
 */
export const EXPORTED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  JOB_ACCEPTED: ['job_id', 'created_at', 'query_text', 'context_tags'],
  REFLECTIVE_LOG_WRITTEN: ['job_id', 'log_id', 'status', 'final_answer', 'agent_id'],
  ROUTE_DECIDED: ['asked_for', 'decided_at'],
  FEEDBACK_GIVEN: ['job_id', 'created_at', 'upvote', 'comment'],
  AMENDMENT_ADDED: ['target_log_id', 'created_at', 'author', 'changes'],
  WM_INSERT: ['type', 'value'],
  episodic_summary: ['episodic_id', 'topic', 'items'],
  ACTION_REQUESTED: ['request_id', 'action', 'withheld', 'justification', 'evidence'],
  ACTION_VOTE: ['request_id', 'vote', 'reason', 'voted_at'],
  PII_CONSENT: [
    'consent_id',
    'pii_type',
    'scope',
    'consent_text',
    'ttl_seconds',
    'granted_at',
    'expires_at',
    'recorded_by',
    'document_ref',
  ],
  PII_CONSENT_REVOKE: ['consent_id', 'revoked_at'],
  PII_CONSENT_USE: ['consent_id', 'pii_type'],
};
