import type { EventLog } from '#lib/event-store';

import { AGENTS_STREAM, type LateAnswer, lateAnswerEvent } from './domain/late-answers.events.js';
import { SideRecord, type SideRecordForm } from './side-record.js';

export const LATE_ANSWER_FORM: SideRecordForm<LateAnswer> = {
  stream: AGENTS_STREAM,
  namespace: 'agents',
  identity: ({ job_id, iteration, attempt, retry }) => [job_id, iteration, attempt, retry],
  event: lateAnswerEvent,
};

/** Answers that came too late, on record; one of a turn, which may have been taken again after a crash. */
export class LateAnswers extends SideRecord<LateAnswer> {
  constructor(log: EventLog, onFault: (error: unknown) => void) {
    super(log, onFault, LATE_ANSWER_FORM);
  }
}
