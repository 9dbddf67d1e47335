import type { DomainEvent } from '#lib/kernel';

import type { LateAnswer } from './domain/late-answers.events.js';
import type { LateVote } from './domain/late-votes.events.js';
import { LATE_ANSWER_FORM } from './late-answers.js';
import { LATE_VOTE_FORM } from './late-votes.js';
import { noteId } from './side-record.js';

/**
 * Ids under which what came too late for a job stands, if it came: an answer to each timeout, at the first try or the
 * second, and a vote of each critic that did not vote in time.
 * @param job its events as stored: what this follows from is not personal
 */
export function lateNoteIds(jobId: string, job: readonly DomainEvent[]): string[] {
  return job.flatMap(({ type, data }) => {
    if (type === 'AGENT_TIMEOUT') {
      const { iteration, attempt } = data;
      return [0, 1].map((retry) =>
        noteId(LATE_ANSWER_FORM, { job_id: jobId, iteration, attempt, retry } as LateAnswer),
      );
    }
    if (type !== 'COUNCIL_DECISION') return [];
    const { candidate_event_id, unavailable_critics } = data;
    return ((unavailable_critics ?? []) as readonly string[]).map((council_agent_id) =>
      noteId(LATE_VOTE_FORM, { job_id: jobId, candidate_event_id, council_agent_id } as LateVote),
    );
  });
}
