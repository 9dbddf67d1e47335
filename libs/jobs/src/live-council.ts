import {
  type Candidate,
  type Checks,
  type CollectedVotes,
  type CouncilVote,
  type Critics,
  examine,
  type Question,
  type Recomputed,
  type SafetyRules,
  statedResult,
  unexamined,
} from '#lib/council';
import { type Json, sameCanonical } from '#lib/kernel';

import type { CalledCritics } from './called-critics.js';
import type { LateVote } from './domain/late-votes.events.js';
import type { CollectVotes } from './engine/effects.js';
import type { EngineInput } from './engine/input.js';
import { nameOf } from './live-turn.js';
import type { OutsideCritics } from './outside-critics.js';

/** Says whether a claim holds when it is computed again, whoever made it. */
export type Recompute = (queryText: string, answer: string) => Recomputed;

/** What live councils are made of; the same for all of them. */
export interface CouncilParts {
  readonly critics: Critics;
  readonly memory: {
    read(key: string): Promise<{ readonly revision: number; readonly value: Json } | null>;
    /** Whether a person may read under a key at all. */
    mayRead(key: string, userId: string): boolean;
  };
  readonly recompute: Recompute;
  /** Types of personal data in an answer that block: those that its asker gave no consent for. */
  readonly personalDataIn: (text: string, answered: Answered) => readonly string[] | Promise<readonly string[]>;
  readonly lateVotes: { record(late: LateVote): void };
  /** Those who are asked in the Negotiation Room. */
  readonly outside: Pick<OutsideCritics, 'collect'>;
  /** Those at a URL, and those that a language engine is under a prompt. */
  readonly called: Pick<CalledCritics, 'criticsOf'>;
}

/** To whom, in which job and from what an answer was made. */
export interface Answered {
  readonly user_id: string;
  readonly job_seed: string;
  readonly evidence: Candidate['evidence'];
}

/**
 * Checks a candidate and collects its critics' votes, in the process and outside at the same time; a check that crashed
 * refutes, as nothing was checked.
 */
export async function collectLiveVotes(
  { candidate, candidate_event_id, critics, timeout_ms, outside, called: round }: CollectVotes,
  { accepted: { job_id, user_id, asked_by }, jobSeed: job_seed, safety }: EngineInput,
  parts: CouncilParts,
  abandoned: AbortSignal,
): Promise<CollectedVotes> {
  const answered = { user_id, job_seed, evidence: candidate.evidence };
  const question = await questionOn(candidate, answered, safety, parts);
  const onLate = ({ council_agent_id, approve, scores, confidence }: CouncilVote): void =>
    parts.lateVotes.record({ job_id, candidate_event_id, council_agent_id, approve, scores, confidence });
  const inside = outside ? critics.filter((critic) => !outside.critics.includes(critic)) : critics;
  const max_text = safety.max_note_length;
  const called = round && parts.called.criticsOf({ round, candidate, job_id, timeout_ms, max_text });
  const ballot = { question, critics: inside, timeout_ms, ...(called && { called }) };
  const voting = parts.critics.collect(ballot, { abandoned, onLate });
  if (!outside) return voting;
  const asked = { round: outside, candidate, candidate_event_id, job_seed, user_id, asked_by };
  const voted = parts.outside.collect({ ...asked, max_text }, abandoned);
  const [own, theirs] = await Promise.all([voting, voted]);
  return together(critics, own, theirs);
}

/** In the order in which the critics were asked. */
function together(critics: readonly string[], own: CollectedVotes, theirs: CollectedVotes): CollectedVotes {
  const votes = [...own.votes, ...theirs.votes];
  return {
    votes: critics.flatMap((critic) => votes.filter(({ council_agent_id }) => council_agent_id === critic)),
    unavailable: { ...own.unavailable, ...theirs.unavailable },
    collection_timeout_reached: own.collection_timeout_reached || theirs.collection_timeout_reached,
  };
}

async function questionOn(
  candidate: Candidate,
  answered: Answered,
  rules: SafetyRules,
  parts: CouncilParts,
): Promise<Question> {
  try {
    const checks = await check(candidate, answered, parts);
    return { candidate, checks, rules, findings: examine(candidate, checks, rules) };
  } catch (error) {
    return { candidate, checks: null, rules, findings: unexamined(`the check ended with ${nameOf(error)}`) };
  }
}

async function check(candidate: Candidate, answered: Answered, parts: CouncilParts): Promise<Checks> {
  const evidence_holds = await Promise.all(
    candidate.evidence.map(async ({ key, revision, value }) => {
      // With nobody's right read, a vote would tell the agent whether another's value is what it guessed.
      if (!parts.memory.mayRead(key, answered.user_id)) return false;
      const now = await parts.memory.read(key);
      // A later revision does not refute what was read: the answer stands for the time of its evidence.
      if (now === null || now.revision !== revision) return now !== null && now.revision > revision;
      return sameCanonical(now.value, value);
    }),
  );
  const { query_text, text } = candidate;
  return {
    evidence_holds,
    recomputed: recomputedOf(query_text, text, parts.recompute),
    personal_data: await parts.personalDataIn(text, answered),
  };
}

/** Where the whole text cannot be read as a result, the one number that it adds to the question is its claim. */
function recomputedOf(query: string, text: string, recompute: Recompute): Recomputed {
  const verdict = recompute(query, text);
  if (verdict !== 'unread') return verdict;
  const stated = statedResult(query, text);
  return stated.kind === 'number' ? recompute(query, stated.text) : verdict;
}
