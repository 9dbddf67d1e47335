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
 */
export function outsideVote({ critic_id, score, confidence, passed, recommendations }: RoomVote): CouncilVote {
  const tenth = round9(score / 10);
  return {
    council_agent_id: critic_id,
    scores: { factuality: tenth, coherence: tenth, safety: tenth },
    approve: passed,
    suggested_changes: recommendations.join('\n'),
    note: '',
    confidence,
  };
}
