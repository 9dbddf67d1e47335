import { round9 } from '#lib/kernel';

/** What the numbers of a vote are: score from 0 to 10, confidence from 0 to 1. */
export interface ScoredVote {
  readonly score: number;
  readonly confidence: number;
  readonly passed: boolean;
}

export interface AggregatedScore {
  readonly mean: number;
  readonly min_score: number;
  readonly max_score: number;
  /** Population standard deviation. */
  readonly std_dev: number;
  readonly weighted_mean: number;
  readonly vote_count: number;
}

/** Where weighted_mean comes from; all other numbers are the same under each. */
export type AggregationStrategy = 'confidence_weighted' | 'simple_average' | 'majority' | 'borda';

/**
 * Scores of several votes as one (spec/negotiation-room.md "Aggregation"), to 9 decimals, the same in whatever order the
 * votes came.
 * @throws RangeError for no votes
 */
export function aggregate(
  votes: readonly ScoredVote[],
  strategy: AggregationStrategy = 'confidence_weighted',
): AggregatedScore {
  if (votes.length === 0) throw new RangeError('no votes to aggregate');
  const scores = votes.map(({ score }) => score);
  const mean = sum(scores) / votes.length;
  const variance = sum(scores.map((score) => (score - mean) ** 2)) / votes.length;
  return {
    mean: round9(mean),
    min_score: round9(Math.min(...scores)),
    max_score: round9(Math.max(...scores)),
    std_dev: round9(Math.sqrt(variance)),
    weighted_mean: round9(WEIGHTED[strategy](votes, mean)),
    vote_count: votes.length,
  };
}

const WEIGHTED: Readonly<Record<AggregationStrategy, (votes: readonly ScoredVote[], mean: number) => number>> = {
  confidence_weighted(votes, mean) {
    const weight = sum(votes.map(({ confidence }) => confidence));
    return weight === 0 ? mean : sum(votes.map(({ score, confidence }) => score * confidence)) / weight;
  },
  simple_average: (_, mean) => mean,
  majority(votes) {
    const passed = votes.filter((vote) => vote.passed).length;
    if (passed === 0) return 0;
    if (passed === votes.length) return 10;
    return passed * 2 === votes.length ? 5 : passed * 2 > votes.length ? 7.5 : 2.5;
  },
  /** Rank points n for the best to 1; equal scores share their points without any difference to the sum. */
  borda(votes) {
    const ranked = votes.map(({ score }) => score).sort((a, b) => a - b);
    const points = (ranked.length * (ranked.length + 1)) / 2;
    return ranked.reduce((total, score, i) => total + (i + 1) * score, 0) / points;
  },
};

/** Adds the smallest first: floating-point sums depend on their order, and a decision must not. */
function sum(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b).reduce((total, value) => total + value, 0);
}
