import type { CouncilVote, VoteScores } from './vote.js';

/** A vote as it may be counted and recorded, or what is wrong with it; no fault quotes what the vote says. */
export type CheckedVote = { readonly vote: CouncilVote } | { readonly fault: string };

/**
 * Holds whatever a critic gave to the form of its vote: its own id, three scores and a confidence from 0 to 1, texts of
 * at most `maxText` characters. Members beyond the form are left out.
 */
export function checkVote(given: unknown, critic_id: string, maxText: number): CheckedVote {
  if (typeof given !== 'object' || given === null) return { fault: 'no object' };
  const { council_agent_id, scores, approve, suggested_changes, note, confidence } = given as Partial<CouncilVote>;
  if (council_agent_id !== critic_id) return { fault: 'council_agent_id: another critic than the one asked' };
  const named = scoresOf(scores);
  if (typeof named === 'string') return { fault: named };
  if (typeof approve !== 'boolean') return { fault: 'approve: not true or false' };
  if (!isShare(confidence)) return { fault: 'confidence: not a number from 0 to 1' };
  if (!isText(suggested_changes, maxText)) return { fault: textFault('suggested_changes', maxText) };
  if (!isText(note, maxText)) return { fault: textFault('note', maxText) };
  return { vote: { council_agent_id, scores: named, approve, suggested_changes, note, confidence } };
}

function scoresOf(scores: Partial<VoteScores> | null | undefined): VoteScores | string {
  const { factuality, coherence, safety } = scores ?? {};
  if (!isShare(factuality)) return scoreFault('factuality');
  if (!isShare(coherence)) return scoreFault('coherence');
  return isShare(safety) ? { factuality, coherence, safety } : scoreFault('safety');
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

function isText(value: unknown, max: number): value is string {
  // A text has at most as many characters as code units: only a long one is counted.
  return typeof value === 'string' && value.isWellFormed() && (value.length <= max || [...value].length <= max);
}

const scoreFault = (name: string): string => `scores.${name}: not a number from 0 to 1`;
const textFault = (name: string, max: number): string => `${name}: not a text of at most ${max} characters`;
