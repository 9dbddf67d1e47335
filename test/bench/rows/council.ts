import {
  type AnswerCouncilPolicy,
  type Candidate,
  type Checks,
  type CollectedVotes,
  Critics,
  decideAnswer,
  examine,
  finalConfidence,
  type SafetyRules,
} from '#lib/council';
import { canonicalize } from '#lib/kernel';

import { timed } from '../harness/callers.js';
import { atMost, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';

const COUNCILS = 100_000;
const THRESHOLDS = { credential_threshold: 0.6 };
const RULES: SafetyRules = {
  max_answer_length: 16_000,
  max_note_length: 4_000,
  refused_phrases: ['how to build a bomb', 'credit card dump'],
};
const CRITICS = ['council_factuality_v1', 'council_coherence_v1', 'council_safety_v1'];
const COUNCIL: AnswerCouncilPolicy = {
  critics: CRITICS.map((critic_id) => ({ critic_id, weight: 1 })),
  quorum: { minimum_fraction: 0.5 },
  on_failure: 'FAIL_CLOSED',
  vote_collection_timeout_ms: 10_000,
};
const NEVER = new AbortController().signal;

interface Case {
  readonly candidate: Candidate;
  readonly checks: Checks;
}

const evidence = (i: number) => ({
  key: `user/profile/user_bench${i}/favorite_color`,
  revision: i,
  value: 'blue',
  timestamp: '2026-01-01T00:00:00.000Z',
});

/** A lookup, a sum, a long text without anything to check, and a wrong sum, each as the engine hands it to the critics. */
const CASES: readonly Case[] = [
  {
    candidate: {
      query_text: 'What is my favourite colour?',
      agent_id: 'profile_agent',
      text: 'Your favorite color is blue.',
      confidence: 0.99,
      evidence: [evidence(1)],
    },
    checks: { evidence_holds: [true], recomputed: null, personal_data: [] },
  },
  sum('12.5% of 80 is 10.', 'agrees'),
  {
    candidate: {
      query_text: 'Write about the sea.',
      agent_id: 'creative_agent',
      text: 'The sea is wide, and its waves come and go. '.repeat(50),
      confidence: 0.7,
      evidence: [],
    },
    checks: { evidence_holds: [], recomputed: null, personal_data: [] },
  },
  sum('12.5% of 80 is 11.', 'differs'),
];

/**
 * Three critics vote and their votes are counted: the council's own time, without what its checks ask of memory and
 * mathematics, which is the work of others.
 */
export const council: Row = {
  name: 'council',
  async run({ rounds, scale, say }) {
    const count = Math.ceil(COUNCILS * scale);
    const critics = new Critics();
    const votesOf = ({ candidate, checks }: Case): CollectedVotes => {
      const question = { candidate, checks, rules: RULES, findings: examine(candidate, checks, RULES) };
      const round = { question, critics: CRITICS, timeout_ms: COUNCIL.vote_collection_timeout_ms };
      // Built-in critics answer at once.
      return critics.collect(round, { abandoned: NEVER }) as CollectedVotes;
    };
    const ready = CASES.map(votesOf);
    if (ready.some(({ votes }) => votes.length !== 3)) throw new Error('this row is about a council of three');
    const each = (work: (nth: number) => unknown) => () =>
      timed(count, () => {
        for (let i = 0; i < count; i++) work(i % CASES.length);
      });
    const figures = await interleave(
      {
        baseline: each((nth) => canonicalize(ready[nth]!.votes)),
        measured: each((nth) => {
          const one = CASES[nth]!;
          const { decision } = decideAnswer(votesOf(one), COUNCIL, THRESHOLDS);
          return finalConfidence(one.candidate.confidence, decision.council_score);
        }),
      },
      { rounds, onTask: (task, round) => say(`round ${round}, ${task}`) },
    );
    const figure = median(figures.measured);
    const microseconds = 1e6 / figure;
    return [
      {
        name: 'council of three, own time',
        unit: 'councils/s',
        figure,
        baseline: median(figures.baseline),
        baselineName: 'the canonical text of the same three votes, which recording them takes anyway',
        ratio: pairedRatio(figures.measured, figures.baseline),
        aims: [atMost('microseconds', microseconds, 60, 'time')],
        details: { 'microseconds a council': microseconds, 'councils a round': count },
      },
    ];
  },
};

function sum(text: string, recomputed: 'agrees' | 'differs'): Case {
  const query_text = 'What is 12.5% of 80?';
  return {
    candidate: { query_text, agent_id: 'math_agent', text, confidence: 0.95, evidence: [] },
    checks: { evidence_holds: [], recomputed, personal_data: [] },
  };
}
