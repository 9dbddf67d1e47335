import { outsideVote, type RoomVote } from './outside-vote.js';
import { checkVote } from './vote-form.js';

const VOTE: RoomVote = { critic_id: 'room-1', score: 7, confidence: 0.8, passed: true, recommendations: [] };

describe('a vote from the Negotiation Room', () => {
  it('counts a tenth of its score three times, and is an approval where it passed', () => {
    expect(outsideVote({ ...VOTE, recommendations: ['Say less.', 'Name the source.'] }, 100)).toEqual({
      council_agent_id: 'room-1',
      scores: { factuality: 0.7, coherence: 0.7, safety: 0.7 },
      approve: true,
      suggested_changes: 'Say less.\nName the source.',
      note: '',
      confidence: 0.8,
    });
    expect(outsideVote({ ...VOTE, score: 0.3, passed: false }, 100)).toMatchObject({
      approve: false,
      scores: { factuality: 0.03 },
    });
  });

  it('has the form of a council’s vote at both ends of its range, and none beyond it', () => {
    for (const score of [0, 10])
      expect(checkVote(outsideVote({ ...VOTE, score }, 10), 'room-1', 10)).toHaveProperty('vote');
    for (const score of [-1, 10.1, NaN]) {
      expect(checkVote(outsideVote({ ...VOTE, score }, 10), 'room-1', 10)).toHaveProperty('fault');
    }
  });

  it('is cut to what the council takes, between characters and never within one', () => {
    const vote = outsideVote({ ...VOTE, recommendations: ['ab', '\u{1f600}\u{1f600}'] }, 4);
    expect(vote.suggested_changes).toBe('ab\n\u{1f600}');
    expect(checkVote(vote, 'room-1', 4)).toHaveProperty('vote');
  });
});
