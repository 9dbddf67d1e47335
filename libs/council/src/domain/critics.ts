import type { Candidate, Checks, Finding, Findings, SafetyRules } from './findings.js';
import type { CouncilVote } from './vote.js';

/** What a critic is asked about. */
export interface Question {
  readonly candidate: Candidate;
  /** Null where the checks could not be made. */
  readonly checks: Checks | null;
  readonly rules: SafetyRules;
  /** What the three rule sets found, made once for all critics that go by them. */
  readonly findings: Findings;
}

/**
 * Whoever votes on candidate answers. Its vote, at once or later, is held to the form of a CouncilVote under its own id;
 * whatever else it does makes it unavailable for the round.
 */
export interface Critic {
  readonly critic_id: string;
  /** True where asking it leaves the process: what happened so far is stored before. */
  readonly external: boolean;
  /**
   * @param closing aborted when the window has closed and nobody waits for the vote any more; its signal is made at the
   * first look, which costs more than a rule-based vote
   */
  vote(question: Question, closing: Pick<AbortController, 'signal'>): CouncilVote | Promise<CouncilVote>;
}

/**
 * The three rule-based critics (spec/decisions.md "The answer council"). Each speaks for one score and sees all: where a
 * check refuted the answer (a score of 0), none of them approves it, so that two sound scores never outvote a wrong sum
 * or somebody's personal data.
 */
export function builtInCritics(): readonly Critic[] {
  return [
    ruleBased('council_factuality_v1', ({ factuality }) => factuality),
    ruleBased('council_coherence_v1', ({ coherence }) => coherence),
    ruleBased('council_safety_v1', ({ safety }) => safety),
  ];
}

function ruleBased(critic_id: string, own: (findings: Findings) => Finding): Critic {
  return {
    critic_id,
    external: false,
    vote: ({ findings, rules }) => voteOn(critic_id, findings, own(findings), rules),
  };
}

function voteOn(
  council_agent_id: string,
  { factuality, coherence, safety }: Findings,
  own: Finding,
  { max_note_length }: SafetyRules,
): CouncilVote {
  const scores = { factuality: factuality.score, coherence: coherence.score, safety: safety.score };
  const isRefuted = scores.factuality === 0 || scores.coherence === 0 || scores.safety === 0;
  return {
    council_agent_id,
    scores,
    approve: own.change === '' && !isRefuted,
    suggested_changes: own.change.slice(0, max_note_length),
    note: own.note.slice(0, max_note_length),
    confidence: own.confidence,
  };
}
