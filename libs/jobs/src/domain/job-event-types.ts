/**
 * Every event that the engine records in a job's stream. `Recorder.record` takes no other type, and an audit names a
 * step for each, so that none can be recorded and never compared.
 */
export const JOB_EVENT_TYPES = [
  'JOB_ACCEPTED',
  'PII_FLAGGED',
  'SNAPSHOTS_PINNED',
  'QCP_CLASSIFIED',
  'ROUTER_DECISION',
  'router_miss',
  'AGENT_INVOKED',
  'AGENT_OUTPUT',
  'AGENT_TIMEOUT',
  'AGENT_EXCEPTION',
  'LLM_SERVICE_DOWN',
  'AUTH_ERROR',
  'POLICY_VIOLATION',
  'RETRY_ATTEMPT',
  'sem_miss',
  'MEMORY_WRITE_REQUESTED',
  'MEMORY_WRITE_RESULT',
  'MEMORY_WRITE_FAIL',
  'OUTSIDE_CRITICS_ASKED',
  'COUNCIL_VOTE',
  'COUNCIL_DECISION',
  'COUNCIL_DEADLOCK',
  'ACTION_REQUESTED',
  'BRAINSTATE_TICK',
  'episodic_summary',
  'REFLECTIVE_LOG_WRITTEN',
  'JOB_SEALED',
] as const;
export type JobEventType = (typeof JOB_EVENT_TYPES)[number];
