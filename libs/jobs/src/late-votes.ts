import type { EventLog } from '#lib/event-store';

import { COUNCIL_STREAM, type LateVote, lateVoteEvent } from './domain/late-votes.events.js';
import { SideRecord, type SideRecordForm } from './side-record.js';

export const LATE_VOTE_FORM: SideRecordForm<LateVote> = {
  stream: COUNCIL_STREAM,
  namespace: 'council',
  identity: ({ candidate_event_id, council_agent_id }) => [candidate_event_id, council_agent_id],
  event: lateVoteEvent,
};

/** Votes that came after their collection was closed, on record; one of a critic on an answer. */
export class LateVotes extends SideRecord<LateVote> {
  constructor(log: EventLog, onFault: (error: unknown) => void) {
    super(log, onFault, LATE_VOTE_FORM);
  }
}
