import { round9 } from '#lib/kernel';

import type { CouncilVote } from './vote.js';

/** A vote as the Negotiation Room takes it: score from 0 to 10, confidence from 0 to 1. */
export interface RoomVote {
  readonly critic_id: string;
  readonly score: number;
  readonly confidence: number;
  readonly passed: boolean;
  readonly recommendations: readonly string[];
}

/**
 * An outside critic's vote on an answer (spec/negotiation-room.md "As the answer council's outside critics"): a tenth of
 * its score in all three scores, its recommendations as the suggested changes.
 * @param maxText characters of the suggested changes: the room takes more, and what is over it is cut off
 */
export function outsideVote(
  { critic_id, score, confidence, passed, recommendations }: RoomVote,
  maxText: number,
): CouncilVote {
  const tenth = round9(score / 10);
  return {
    council_agent_id: critic_id,
    scores: { factuality: tenth, coherence: tenth, safety: tenth },
    approve: passed,
    suggested_changes: cut(recommendations.join('\n'), maxText),
    note: '',
    confidence,
  };
}

/** A text has at most as many characters as code units: only a long one is counted. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text].slice(0, max).join('');
}
