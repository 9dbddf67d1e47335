import type { Json } from '#lib/kernel';

import { contradictsItself } from './contradiction.js';
import { relationOf } from './relation.js';
import { statedResult } from './stated-result.js';

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

/** What was found out about a candidate before the critics vote; gathered by whoever may read memory. */
export interface Checks {
  /** Each piece of evidence read again: whether memory still holds that value at that revision, or a later one. */
  readonly evidence_holds: readonly boolean[];
  /**
   * The claim computed again: `unread` where the question can be computed and the answer holds nothing that can be read
   * as its result, null where there is nothing to compute, or nobody can.
   */
  readonly recomputed: Recomputed;
  /** Types of personal data in the answer that its asker gave no consent for. */
  readonly personal_data: readonly string[];
}

export type Recomputed = 'agrees' | 'differs' | 'unread' | null;

/** The part of the safety snapshot that the council goes by. */
export interface SafetyRules {
  readonly max_answer_length: number;
  /** Characters of a critic's note, and of the changes that it suggests. */
  readonly max_note_length: number;
  readonly refused_phrases: readonly string[];
}

/** What one rule set says of a candidate: a score from 0 to 1, why, and what to change; '' where nothing. */
export interface Finding {
  readonly score: number;
  readonly note: string;
  readonly change: string;
  /** How sure the rule set is of it, from 0 to 1. */
  readonly confidence: number;
}

export interface Findings {
  readonly factuality: Finding;
  readonly coherence: Finding;
  readonly safety: Finding;
}

/** The findings of the three rule sets; pure. No note quotes the answer. */
export function examine(candidate: Candidate, checks: Checks, rules: SafetyRules): Findings {
  return {
    factuality: factualityOf(candidate, checks),
    coherence: coherenceOf(candidate, checks, rules),
    safety: safetyOf(candidate, checks, rules),
  };
}

/** The findings where nothing could be checked: what could not be checked is not approved. */
export function unexamined(note: string): Findings {
  const finding = { score: 0, note, change: 'Try again.', confidence: 0 };
  return { factuality: finding, coherence: finding, safety: finding };
}

const sound = (note: string): Finding => ({ score: 1, note, change: '', confidence: 1 });
const refuted = (note: string, change: string): Finding => ({ score: 0, note, change, confidence: 1 });

function factualityOf(candidate: Candidate, checks: Checks): Finding {
  if (checks.recomputed === 'differs') {
    return refuted('computed again, the result differs', 'Compute the result again.');
  }
  const stale = candidate.evidence.filter((_, i) => checks.evidence_holds[i] !== true);
  if (stale.length > 0) {
    const note = `memory no longer holds what ${stale.length} of ${candidate.evidence.length} pieces of evidence say`;
    return refuted(note, 'Read the evidence again.');
  }
  if (checks.recomputed === 'unread') return unreadResult(candidate);
  if (checks.recomputed === 'agrees') return sound('computed again with the same result');
  if (candidate.evidence.length > 0) return sound('every piece of evidence was read again and holds');
  return { score: 0.7, note: 'nothing to compute and no evidence to read again', change: '', confidence: 0.8 };
}

/** A calculation was asked for: what claims a result must be readable; what claims none is weak, and not wrong. */
function unreadResult({ query_text, text }: Candidate): Finding {
  switch (statedResult(query_text, text).kind) {
    case 'unrelated':
      return refuted('a calculation was asked for, and the answer is about something else', ANSWER_IT);
    case 'none': {
      const note = 'a calculation was asked for, and the answer claims no result';
      return { score: 0.4, note, change: '', confidence: 0.8 };
    }
    default: {
      const note = 'a calculation was asked for, and no result could be read in the answer';
      return refuted(note, 'State the result on its own, as a number or a formula.');
    }
  }
}

function coherenceOf(candidate: Candidate, { recomputed }: Checks, rules: SafetyRules): Finding {
  const { text, evidence, query_text } = candidate;
  if (text.trim() === '') return refuted('the answer is empty', 'Give an answer.');
  if (text.length > rules.max_answer_length) {
    const change = `Shorten the answer to ${rules.max_answer_length} characters.`;
    return refuted(`the answer has ${text.length} characters`, change);
  }
  if (text.trim() === query_text.trim()) {
    return {
      score: 0.4,
      note: 'the answer only repeats the question',
      change: 'Answer the question.',
      confidence: 0.8,
    };
  }
  if (evidence.some((piece) => !states(text, piece.value))) {
    const note = 'the answer does not state what its evidence says';
    return { score: 0.4, note, change: 'State what was found.', confidence: 0.8 };
  }
  if (contradictsItself(text)) return refuted('the answer contradicts itself', 'Say which of the two holds.');
  if (evidence.length > 0) return sound(`${WELL_FORMED}, and it states what its evidence says`);
  if (recomputed === 'agrees') return sound(`${WELL_FORMED}, and it gives the result that was asked for`);
  switch (relationOf(query_text, text)) {
    case 'shared':
      return sound(`${WELL_FORMED}, and it names what was asked about`);
    case 'open':
      return sound(`${WELL_FORMED}; by its words alone it could not be compared with the question`);
    case 'none':
      return refuted('the answer names nothing that was asked about', ANSWER_IT);
  }
}

const WELL_FORMED = 'well formed, without a plain contradiction';
const ANSWER_IT = 'Answer the question that was asked, and name what it is about.';

function safetyOf(candidate: Candidate, checks: Checks, rules: SafetyRules): Finding {
  if (checks.personal_data.length > 0) {
    return refuted(`the answer holds ${checks.personal_data.join(', ')}`, 'Leave personal data out.');
  }
  const text = candidate.text.toLowerCase();
  if (rules.refused_phrases.some((phrase) => text.includes(phrase))) {
    return refuted('a rule of the safety policy refuses this text', 'Leave refused content out.');
  }
  return sound('no rule of the safety policy applies');
}

function states(text: string, value: Json): boolean {
  if (typeof value === 'string') return text.includes(value);
  if (typeof value === 'number' || typeof value === 'boolean') return text.includes(String(value));
  return true;
}
