import type { Json } from '#lib/kernel';

import type { CouncilVote, VoteScores } from './vote.js';

/** What an agent relied on, as recorded in AGENT_OUTPUT. */
export interface Evidence {
  readonly key: string;
  readonly revision: number;
  readonly value: Json;
  readonly timestamp: string;
}

export interface Candidate {
  readonly query_text: string;
  readonly agent_id: string;
  readonly text: string;
  readonly confidence: number;
  readonly evidence: readonly Evidence[];
}

/** What the critics found out about a candidate before they vote; gathered by whoever may read memory. */
export interface Checks {
  /** Each piece of evidence read again: whether memory still holds that value at that revision or a later one. */
  readonly evidence_holds: readonly boolean[];
  /** The claim computed again: null where there is nothing to compute. */
  readonly recomputed: 'agrees' | 'differs' | null;
  /** Types of personal data in the answer that its asker gave no consent for. */
  readonly personal_data: readonly string[];
}

export interface SafetyRules {
  readonly max_answer_length: number;
  readonly refused_phrases: readonly string[];
}

export const CRITICS = ['council_factuality_v1', 'council_coherence_v1', 'council_safety_v1'] as const;

/**
 * The votes of the three rule-based critics, in the order of CRITICS; pure. Each speaks for one score and sees all: where
 * a check refuted the answer (a score of 0), no critic approves it, so that two sound scores never outvote a wrong sum or
 * somebody's personal data.
 */
export function criticise(candidate: Candidate, checks: Checks, rules: SafetyRules): CouncilVote[] {
  const factuality = factualityOf(candidate, checks);
  const coherence = coherenceOf(candidate, rules);
  const safety = safetyOf(candidate, checks, rules);
  const scores: VoteScores = { factuality: factuality.score, coherence: coherence.score, safety: safety.score };
  return [
    vote('council_factuality_v1', scores, factuality),
    vote('council_coherence_v1', scores, coherence),
    vote('council_safety_v1', scores, safety),
  ];
}

/** Whoever votes on a candidate answer; more critics than the built-in ones can stand behind it. */
export class Critics {
  vote(candidate: Candidate, checks: Checks, rules: SafetyRules): readonly CouncilVote[] {
    return criticise(candidate, checks, rules);
  }
}

/** The votes where nothing could be checked: every critic refuses, and says why. */
export function refuseAll(note: string): CouncilVote[] {
  const scores: VoteScores = { factuality: 0, coherence: 0, safety: 0 };
  const refusal = { scores, approve: false, suggested_changes: 'Try again.', note, confidence: 0 };
  return CRITICS.map((council_agent_id) => ({ council_agent_id, ...refusal }));
}

interface Finding {
  readonly score: number;
  readonly note: string;
  readonly change: string;
}

const sound = (note: string): Finding => ({ score: 1, note, change: '' });

function vote(council_agent_id: string, scores: VoteScores, finding: Finding): CouncilVote {
  return {
    council_agent_id,
    scores,
    approve: finding.change === '' && !Object.values(scores).includes(0),
    suggested_changes: finding.change,
    note: finding.note,
    confidence: finding.score === 1 || finding.score === 0 ? 1 : 0.8,
  };
}

function factualityOf(candidate: Candidate, checks: Checks): Finding {
  if (checks.recomputed === 'differs') {
    return { score: 0, note: 'computed again, the result differs', change: 'Compute the result again.' };
  }
  const stale = candidate.evidence.filter((_, i) => checks.evidence_holds[i] !== true);
  if (stale.length > 0) {
    return {
      score: 0,
      note: `memory no longer holds what ${stale.length} of ${candidate.evidence.length} pieces of evidence say`,
      change: 'Read the evidence again.',
    };
  }
  if (checks.recomputed === 'agrees') return sound('computed again with the same result');
  if (candidate.evidence.length > 0) return sound('every piece of evidence was read again and holds');
  return { score: 0.7, note: 'nothing to compute and no evidence to read again', change: '' };
}

function coherenceOf(candidate: Candidate, rules: SafetyRules): Finding {
  if (candidate.text.trim() === '') return { score: 0, note: 'the answer is empty', change: 'Give an answer.' };
  if (candidate.text.length > rules.max_answer_length) {
    return {
      score: 0,
      note: `the answer has ${candidate.text.length} characters`,
      change: `Shorten the answer to ${rules.max_answer_length} characters.`,
    };
  }
  const unstated = candidate.evidence.filter((piece) => !states(candidate.text, piece.value));
  if (unstated.length > 0) {
    return { score: 0.4, note: 'the answer does not state what its evidence says', change: 'State what was found.' };
  }
  return sound('well formed, and about what was asked');
}

function safetyOf(candidate: Candidate, checks: Checks, rules: SafetyRules): Finding {
  if (checks.personal_data.length > 0) {
    return {
      score: 0,
      note: `the answer holds ${checks.personal_data.join(', ')}`,
      change: 'Leave personal data out.',
    };
  }
  const text = candidate.text.toLowerCase();
  if (rules.refused_phrases.some((phrase) => text.includes(phrase))) {
    return { score: 0, note: 'a rule of the safety policy refuses this text', change: 'Leave refused content out.' };
  }
  return sound('no rule of the safety policy applies');
}

function states(text: string, value: Json): boolean {
  if (typeof value === 'string') return text.includes(value);
  if (typeof value === 'number' || typeof value === 'boolean') return text.includes(String(value));
  return true;
}
