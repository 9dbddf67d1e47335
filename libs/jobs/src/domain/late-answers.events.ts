import type { DomainEvent, EventDefinition, JsonObject } from '#lib/kernel';

/**
 * An agent answered after its timeout; the answer was ignored. In `system-agents`, and never in the job's stream: that
 * has one writer, the job's own run, whose events follow from its record, and it may be sealed by now. Nor in the
 * module's: an answer that nobody takes says nothing of trust, and the timeout stands there already. It holds nothing of
 * what was said, and no hash of it.
 */
export interface LateAnswer {
  readonly job_id: string;
  readonly agent_id: string;
  readonly node_id: string;
  readonly iteration: number;
  readonly attempt: number;
  /** 1 where it was the second try. */
  readonly retry: 0 | 1;
  /** Milliseconds after the timeout, measured. */
  readonly late_by_ms: number;
}

export const AGENTS_STREAM = 'system-agents';

export const lateAnswerEvents: readonly EventDefinition[] = [
  {
    type: 'AGENT_LATE_ANSWER',
    version: 1,
    plain: ['job_id', 'agent_id', 'node_id', 'iteration', 'attempt', 'retry', 'late_by_ms'],
  },
];

export function lateAnswerEvent(answer: LateAnswer): DomainEvent {
  return { type: 'AGENT_LATE_ANSWER', data: answer as unknown as JsonObject };
}
