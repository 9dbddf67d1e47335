import type { JobEventType } from '#lib/jobs';

/** What a replay proves of a job, in the order in which it is told (spec/replay.md). */
export const COMPARED_STEPS = [
  'request and pinned snapshots',
  'classification',
  'router decisions',
  'agent turns',
  'memory writes',
  'council decisions',
  'brainstate ticks',
  'notices',
  'final answer',
  'reflective log and seal',
] as const;
export type ComparedStep = (typeof COMPARED_STEPS)[number];

/** What each kind of recorded event proves once the engine has computed it again; a kind without a step does not compile. */
const STEP_OF: Readonly<Record<JobEventType, ComparedStep>> = {
  JOB_ACCEPTED: 'request and pinned snapshots',
  SNAPSHOTS_PINNED: 'request and pinned snapshots',
  PII_FLAGGED: 'request and pinned snapshots',
  QCP_CLASSIFIED: 'classification',
  ROUTER_DECISION: 'router decisions',
  router_miss: 'router decisions',
  AGENT_INVOKED: 'agent turns',
  AGENT_OUTPUT: 'agent turns',
  AGENT_TIMEOUT: 'agent turns',
  AGENT_EXCEPTION: 'agent turns',
  LLM_SERVICE_DOWN: 'agent turns',
  AUTH_ERROR: 'agent turns',
  POLICY_VIOLATION: 'agent turns',
  sem_miss: 'agent turns',
  MEMORY_WRITE_REQUESTED: 'memory writes',
  MEMORY_WRITE_RESULT: 'memory writes',
  MEMORY_WRITE_FAIL: 'memory writes',
  RETRY_ATTEMPT: 'memory writes',
  OUTSIDE_CRITICS_ASKED: 'council decisions',
  COUNCIL_VOTE: 'council decisions',
  COUNCIL_DECISION: 'council decisions',
  COUNCIL_DEADLOCK: 'council decisions',
  ACTION_REQUESTED: 'council decisions',
  BRAINSTATE_TICK: 'brainstate ticks',
  episodic_summary: 'brainstate ticks',
  REFLECTIVE_LOG_WRITTEN: 'reflective log and seal',
  JOB_SEALED: 'reflective log and seal',
};

/** The step that an event belongs to; null for one that no job records. */
export function comparedStepOf(type: string): ComparedStep | null {
  return Object.hasOwn(STEP_OF, type) ? STEP_OF[type as JobEventType] : null;
}

const NOTICES = ['/data/notices', '/data/error'];
const ANSWER = ['/data/final_answer', '/data/final_confidence', '/data/status'];

/** The step that a difference belongs to: of the log, the part that differs. */
export function differingStepOf(type: string, pointer: string): ComparedStep | null {
  const within = (parts: readonly string[]): boolean =>
    parts.some((part) => pointer === part || pointer.startsWith(`${part}/`));
  if (type === 'REFLECTIVE_LOG_WRITTEN' && within(ANSWER)) return 'final answer';
  if (type === 'REFLECTIVE_LOG_WRITTEN' && within(NOTICES)) return 'notices';
  return comparedStepOf(type);
}
