import { MemoryEventStore } from '#lib/event-store';

import { countAppends } from './counted-event-store.js';
import { Tallies } from './tallies.js';

const tallies = new Tallies();
const store = countAppends(new MemoryEventStore(), tallies);
let appended = 0;

async function append(type: string, data: object): Promise<void> {
  const id = String(++appended).padStart(64, '0');
  await store.append(`negotiation-${id}`, 'none', [{ id, type, text: JSON.stringify({ data }) }]);
}

const sum = (tally: Tallies['quorumFailures']): number => tally.all().reduce((all, { value }) => all + value, 0);

it('a quorum that was not met is counted also where senior critics are asked after it, and no decision yet', async () => {
  await append('SENIOR_CRITICS_ASKED', { before: { quorum_met: true } });
  expect(sum(tallies.quorumFailures)).toBe(0);
  await append('SENIOR_CRITICS_ASKED', { before: { quorum_met: false } });
  expect([sum(tallies.quorumFailures), sum(tallies.negotiationDecisions)]).toEqual([1, 0]);
  await append('NEGOTIATION_DECIDED', { outcome: 'APPROVED', quorum_met: true });
  expect([sum(tallies.quorumFailures), sum(tallies.negotiationDecisions)]).toEqual([1, 1]);
  // The senior critics failed as well: one negotiation, one failure.
  const options = { escalation: { before: { quorum_met: false } } };
  await append('NEGOTIATION_DECIDED', { outcome: 'REJECTED', quorum_met: false, options });
  expect([sum(tallies.quorumFailures), sum(tallies.negotiationDecisions)]).toEqual([1, 2]);
});

it('a vote is its critic’s, and an absence with its reason, of critics that said how they are', async () => {
  await append('AGENT_HEARTBEAT', { agent_id: 'ann', beat_at: '', state: 4 });
  await append('VOTE_CAST', { artifact_id: 'a', asks_for_person: false, confidence: 1, critic_id: 'ann' });
  await append('VOTE_WINDOW_CLOSED', {
    unavailable: [
      { critic_id: 'ann', reason: 'not_awaited' },
      { critic_id: 'ben', reason: 'unregistered' },
    ],
  });
  expect(tallies.critics.votes.all()).toEqual([{ labels: { critic: 'ann' }, value: 1 }]);
  expect(tallies.critics.absences.all()).toEqual([
    { labels: { critic: 'ann', reason: 'not_awaited' }, value: 1 },
    { labels: { critic: 'other', reason: 'unregistered' }, value: 1 },
  ]);
});
