import { clamp, nearlyEqual, atLeast, round9 } from '#lib/kernel';

export interface VoteScores {
  readonly factuality: number;
  readonly coherence: number;
  readonly safety: number;
}

/** One critic's vote on a candidate answer (seed 001 ReflectiveLog B; spec/decisions.md "The answer council"). */
export interface CouncilVote {
  readonly council_agent_id: string;
  readonly scores: VoteScores;
  readonly approve: boolean;
  readonly suggested_changes: string;
  /** At most 4,000 characters. */
  readonly note: string;
  readonly confidence: number;
}

export interface CouncilThresholds {
  readonly credential_threshold: number;
}

export type CouncilOutcome = 'approved' | 'rejected' | 'deadlock';

export interface CouncilDecision {
  readonly outcome: CouncilOutcome;
  /** Weighted mean of each vote's mean score, 9 decimals. */
  readonly council_score: number;
  readonly approvals: number;
  readonly rejections: number;
}

/**
 * Approved: approvals outweigh rejections and the score reaches the threshold. Rejected: rejections outweigh. A tie, or
 * a score under the threshold without a majority to reject: deadlock. Weights default to 1.
 */
export function decideCouncil(
  votes: readonly CouncilVote[],
  thresholds: CouncilThresholds,
  weights: Readonly<Record<string, number>> = {},
): CouncilDecision {
  let approvals = 0;
  let rejections = 0;
  let total = 0;
  let sum = 0;
  for (const vote of votes) {
    const weight = weights[vote.council_agent_id] ?? 1;
    total += weight;
    sum += weight * meanScore(vote.scores);
    if (vote.approve) approvals += weight;
    else rejections += weight;
  }
  const council_score = total === 0 ? 0 : round9(sum / total);
  return {
    outcome: outcomeOf(approvals, rejections, council_score, thresholds),
    council_score,
    approvals: round9(approvals),
    rejections: round9(rejections),
  };
}

function outcomeOf(approvals: number, rejections: number, score: number, t: CouncilThresholds): CouncilOutcome {
  if (nearlyEqual(approvals, rejections)) return 'deadlock';
  if (rejections > approvals) return 'rejected';
  return atLeast(score, t.credential_threshold) ? 'approved' : 'deadlock';
}

/** Half the agent's confidence, half the council's score; 9 decimals. */
export function finalConfidence(agentConfidence: number, councilScore: number): number {
  return round9(0.5 * clamp(agentConfidence, 0, 1) + 0.5 * councilScore);
}

function meanScore(scores: VoteScores): number {
  return (scores.factuality + scores.coherence + scores.safety) / 3;
}
