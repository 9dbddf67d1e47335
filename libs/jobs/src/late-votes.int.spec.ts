import { fixtureKeyRing } from '#lib/access';
import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers } from '#lib/event-store';
import { EventRegistry, sha256Hex } from '#lib/kernel';

import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { type LateVote, lateVoteEvents } from './domain/late-votes.events.js';
import { LateVotes } from './late-votes.js';

const LATE: LateVote = {
  job_id: 'job:1',
  candidate_event_id: 'e1',
  council_agent_id: 'outside',
  approve: true,
  scores: { factuality: 1, coherence: 0.5, safety: 1 },
  confidence: 0.5,
};

function recorder() {
  const store = new MemoryEventStore();
  const ring = fixtureKeyRing();
  const codec = new EventCodec(
    new EventRegistry(lateVoteEvents),
    ring,
    new SubjectCiphers(new MemorySubjectKeys(), ring),
  );
  const log = new EventLog(store, codec);
  const faults: unknown[] = [];
  const votes = new LateVotes(log, (error) => faults.push(error));
  const stored = async () => (await log.load('system-council')).events;
  return { faults, votes, stored };
}

describe('late votes', () => {
  it('stand one after another in a stream of their own, one of each critic on each answer', async () => {
    const { votes, stored, faults } = recorder();
    votes.record(LATE);
    votes.record({ ...LATE, approve: false });
    votes.record({ ...LATE, council_agent_id: 'another' });
    votes.record({ ...LATE, candidate_event_id: 'e2' });
    await votes.close();
    expect((await stored()).map(({ data }) => data)).toEqual([
      LATE,
      { ...LATE, council_agent_id: 'another' },
      { ...LATE, candidate_event_id: 'e2' },
    ]);
    expect((await stored())[0]!.metadata).toMatchObject({
      event_id: sha256Hex('system:council:e1:outside:0:COUNCIL_LATE_VOTE'),
      job_id: 'job:1',
    });
    expect(faults).toEqual([]);
  });
});
