import { checkVote } from './vote-form.js';
import type { CouncilVote } from './vote.js';

const GOOD: CouncilVote = {
  council_agent_id: 'c',
  scores: { factuality: 0, coherence: 0.5, safety: 1 },
  approve: true,
  suggested_changes: '',
  note: 'n',
  confidence: 1,
};
const SCORES = GOOD.scores;

describe('the form of a vote', () => {
  it('lets a vote through, and nothing beside it', () => {
    expect(checkVote(GOOD, 'c', 10)).toEqual({ vote: GOOD });
    const more = { ...GOOD, weight: 9, scores: { ...SCORES, charm: 1 } };
    expect(checkVote(more, 'c', 10)).toEqual({ vote: GOOD });
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'no object'],
    ['null', null, 'no object'],
    ['a word', 'yes', 'no object'],
    [
      'a vote in another’s name',
      { ...GOOD, council_agent_id: 'd' },
      'council_agent_id: another critic than the one asked',
    ],
    ['no scores', { ...GOOD, scores: null }, 'scores.factuality: not a number from 0 to 1'],
    [
      'a score that is no number',
      { ...GOOD, scores: { ...SCORES, safety: NaN } },
      'scores.safety: not a number from 0 to 1',
    ],
    [
      'an infinite score',
      { ...GOOD, scores: { ...SCORES, coherence: Infinity } },
      'scores.coherence: not a number from 0 to 1',
    ],
    ['a score over 1', { ...GOOD, scores: { ...SCORES, safety: 1.01 } }, 'scores.safety: not a number from 0 to 1'],
    [
      'a score under 0',
      { ...GOOD, scores: { ...SCORES, factuality: -0.01 } },
      'scores.factuality: not a number from 0 to 1',
    ],
    ['a score in words', { ...GOOD, scores: { ...SCORES, safety: '1' } }, 'scores.safety: not a number from 0 to 1'],
    ['a verdict in words', { ...GOOD, approve: 'true' }, 'approve: not true or false'],
    ['no confidence', { ...GOOD, confidence: undefined }, 'confidence: not a number from 0 to 1'],
    ['infinite confidence', { ...GOOD, confidence: Infinity }, 'confidence: not a number from 0 to 1'],
    ['a note that is too long', { ...GOOD, note: 'x'.repeat(11) }, 'note: not a text of at most 10 characters'],
    ['half a character', { ...GOOD, note: '\ud83c' }, 'note: not a text of at most 10 characters'],
    [
      'changes that are too long',
      { ...GOOD, suggested_changes: 'x'.repeat(11) },
      'suggested_changes: not a text of at most 10 characters',
    ],
  ])('refuses %s, and says what is wrong without quoting it', (_, given, fault) => {
    expect(checkVote(given, 'c', 10)).toEqual({ fault });
  });

  it('counts characters, not code units', () => {
    expect(checkVote({ ...GOOD, note: '🌧'.repeat(10) }, 'c', 10)).toHaveProperty('vote');
    expect(checkVote({ ...GOOD, note: '🌧'.repeat(11) }, 'c', 10)).toHaveProperty('fault');
  });
});
