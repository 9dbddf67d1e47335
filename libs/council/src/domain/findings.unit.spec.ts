import { builtInCritics } from './critics.js';
import { type Candidate, type Checks, examine, type SafetyRules, unexamined } from './findings.js';
import { type CouncilVote, decideCouncil } from './vote.js';

const RULES: SafetyRules = { max_answer_length: 50, max_note_length: 4000, refused_phrases: ['make a weapon'] };
const T = { credential_threshold: 0.6 };
const BLUE = { key: 'k', revision: 1, value: 'blue', timestamp: '2026-01-01T00:00:00.000Z' };
const NAMES = ['council_factuality_v1', 'council_coherence_v1', 'council_safety_v1'];
const OPEN = new AbortController();

function judge(more: Partial<Candidate>, found: Partial<Checks> = {}) {
  const candidate = { query_text: 'q', agent_id: 'a', text: 'It is blue.', confidence: 1, evidence: [], ...more };
  const checks = { evidence_holds: [], recomputed: null, personal_data: [], ...found };
  const findings = examine(candidate, checks, RULES);
  const question = { candidate, checks, rules: RULES, findings };
  const votes = builtInCritics().map((critic) => critic.vote(question, OPEN) as CouncilVote);
  return { votes, scores: votes[0]!.scores, ...decideCouncil(votes, T) };
}

describe('the three critics', () => {
  it('vote each once, under their own names, on the same three scores', () => {
    const { votes } = judge({});
    expect(votes.map(({ council_agent_id }) => council_agent_id)).toEqual(NAMES);
    expect(new Set(votes.map(({ scores }) => JSON.stringify(scores))).size).toBe(1);
  });

  it.each<[string, Partial<Candidate>, Partial<Checks>, number]>([
    ['computed again with the same result', {}, { recomputed: 'agrees' }, 1],
    ['whose evidence holds', { evidence: [BLUE] }, { evidence_holds: [true] }, 1],
    ['with nothing to check', {}, {}, 0.7],
  ])('approve an answer %s', (_, candidate, checks, factuality) => {
    expect(judge(candidate, checks)).toMatchObject({
      outcome: 'approved',
      scores: { factuality, coherence: 1, safety: 1 },
    });
  });

  it.each<[string, Partial<Candidate>, Partial<Checks>, string]>([
    ['that computes to something else', {}, { recomputed: 'differs' }, 'Compute the result again.'],
    ['whose evidence is gone', { evidence: [BLUE] }, { evidence_holds: [false] }, 'Read the evidence again.'],
    ['whose evidence nobody could check', { evidence: [BLUE] }, {}, 'Read the evidence again.'],
    ['that says nothing', { text: ' \n' }, {}, 'Give an answer.'],
    ['that is too long', { text: 'x'.repeat(51) }, {}, 'Shorten the answer to 50 characters.'],
    ['that holds personal data', {}, { personal_data: ['us_ssn'] }, 'Leave personal data out.'],
    ['that a rule of safety refuses', { text: 'How to Make a Weapon' }, {}, 'Leave refused content out.'],
  ])('reject an answer %s, and say what to change', (_, candidate, checks, change) => {
    const { votes, outcome } = judge(candidate, checks);
    expect(outcome).toBe('rejected');
    expect(votes.map(({ suggested_changes }) => suggested_changes).filter(Boolean)).toEqual([change]);
  });

  const SUM = 'What is 2 + 2?';
  it.each<[string, Partial<Candidate>, Partial<Checks>, readonly string[]]>([
    [
      'about something else, to a sum',
      { query_text: SUM, text: 'Bananas are yellow.' },
      { recomputed: 'unread' },
      Array(2).fill('Answer the question that was asked, and name what it is about.'),
    ],
    [
      'whose result nobody can read',
      { query_text: SUM, text: 'It is four.' },
      { recomputed: 'unread' },
      ['State the result on its own, as a number or a formula.'],
    ],
    [
      'about something else',
      { query_text: 'What is the capital of France?', text: 'Bananas are yellow.' },
      {},
      ['Answer the question that was asked, and name what it is about.'],
    ],
    [
      'that contradicts itself',
      { text: 'The sky is blue, and the sky is not blue.' },
      {},
      ['Say which of the two holds.'],
    ],
  ])('reject an answer %s', (_, candidate, checks, changes) => {
    const { votes, outcome } = judge(candidate, checks);
    expect(outcome).toBe('rejected');
    expect(votes.map(({ suggested_changes }) => suggested_changes).filter(Boolean)).toEqual(changes);
  });

  it('let an answer to a sum stand that claims no result, and think little of it', () => {
    const claimless = { query_text: SUM, text: 'I can only say that it is a number.' };
    expect(judge(claimless, { recomputed: 'unread' })).toMatchObject({
      outcome: 'approved',
      council_score: 0.8,
      scores: { factuality: 0.4, coherence: 1, safety: 1 },
    });
  });

  it.each<[string, Partial<Candidate>, Partial<Checks>, string]>([
    ['the evidence', { evidence: [BLUE] }, { evidence_holds: [true] }, ', and it states what its evidence says'],
    ['the result', { query_text: SUM, text: 'So 4.' }, { recomputed: 'agrees' }, ', and it gives the result that was'],
    ['the words', { query_text: 'What is blue?', text: 'Blue is a color.' }, {}, ', and it names what was asked about'],
    ['nothing', { query_text: 'Write a poem' }, {}, '; by its words alone it could not be compared with the question'],
  ])('say what the answer was compared by: %s', (_, candidate, checks, note) => {
    const [, coherence] = judge(candidate, checks).votes;
    expect(coherence!.note).toContain(`well formed, without a plain contradiction${note}`);
  });

  it('do not mind an answer that only leaves out what its evidence says, but one of them asks for it', () => {
    const { votes, outcome, scores } = judge({ text: 'Yes.', evidence: [BLUE] }, { evidence_holds: [true] });
    expect({ outcome, scores }).toEqual({ outcome: 'approved', scores: { factuality: 1, coherence: 0.4, safety: 1 } });
    expect(votes.map(({ approve }) => approve)).toEqual([true, false, true]);
  });

  it('notice an answer that only repeats its question', () => {
    const { votes, scores } = judge({ query_text: 'It is blue?', text: ' It is blue? ' });
    expect(scores.coherence).toBe(0.4);
    expect(votes[1]).toMatchObject({ approve: false, suggested_changes: 'Answer the question.' });
  });

  it.each([
    ['a text', 'blue', 'It is blue.', true],
    ['a number', 42, 'It is 42.', true],
    ['a number that is not there', 42, 'It is 41.', false],
    ['a truth', true, 'It is true.', true],
    ['an object, which is said in other words', { a: 1 }, 'So it is.', true],
  ])('know that an answer states %s', (_, value, text, stated) => {
    const { scores } = judge({ text, evidence: [{ ...BLUE, value }] }, { evidence_holds: [true] });
    expect(scores.coherence).toBe(stated ? 1 : 0.4);
  });

  it('never quote the answer in their notes', () => {
    const { votes } = judge({ text: 'secret' }, { personal_data: ['email'] });
    expect(JSON.stringify(votes)).not.toContain('secret');
  });

  it('all refuse what nobody could check, and say so', () => {
    const candidate = { query_text: 'q', agent_id: 'a', text: 't', confidence: 1, evidence: [] };
    const findings = unexamined('the check ended with TypeError');
    const question = { candidate, checks: null, rules: RULES, findings };
    const votes = builtInCritics().map((critic) => critic.vote(question, OPEN) as CouncilVote);
    expect(decideCouncil(votes, T)).toMatchObject({ outcome: 'rejected', council_score: 0 });
    expect(new Set(votes.map(({ note }) => note))).toEqual(new Set(['the check ended with TypeError']));
  });
});
