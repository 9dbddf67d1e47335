import {
  type AnswerCouncilPolicy,
  type AnswerDecision,
  type Candidate,
  type CouncilVote,
  decideAnswer,
  DEFAULT_OUTSIDE_WINDOW_S,
  finalConfidence,
  isElsewhere,
} from '#lib/council';
import { answerArtifactId } from '#lib/negotiation';

import type { AgentResult, CalledRound, OutsideRound } from './effects.js';
import type { Ending, Job, JudgedCandidate, Steps } from './job.js';
import { takeTurn, type TurnOf } from './turn.js';

type Answer = Extract<AgentResult, { kind: 'answer' }>;

/** How the job ends, or what the agent is asked to change in its next answer. */
export type Judgement = { readonly ending: Ending } | { readonly suggestions: readonly string[] };

/** The agent that checks claims where the critics cannot agree. */
const VERIFIER = 'verification_agent';

/** Has the critics vote on an answer and follows their verdict: done, repair, deadlock, or enough of repairs. */
export function* judge(job: Job, of: TurnOf, answer: Answer, iteration: number): Steps<Judgement> {
  const { votes, verdict, judged } = yield* putToVote(job, of, answer, iteration);
  job.approved = verdict.outcome === 'approved';
  if (verdict.outcome === 'approved') return { ending: job.completed(judged.text, judged.final_confidence) };
  if (verdict.outcome === 'deadlock') return { ending: yield* resolveDeadlock(job, of, answer, iteration) };
  if (job.repairs === job.input.limits.max_repair_loops) {
    const answers = job.repairs + 1;
    return { ending: job.failed(job.error('REPAIR_LIMIT_EXCEEDED', 'refused', { answers })) };
  }
  job.repairs++;
  return { suggestions: votes.map((vote) => vote.suggested_changes).filter((change) => change !== '') };
}

interface Round {
  readonly votes: readonly CouncilVote[];
  readonly verdict: AnswerDecision;
  readonly judged: JudgedCandidate;
}

function* putToVote(job: Job, of: TurnOf, answer: Answer, iteration: number): Steps<Round> {
  const { limits, accepted, modules } = job.input;
  const { answer_council: council } = limits;
  const candidate_event_id = job.outputs.at(-1)!.event_id;
  const called = calledRound(council, of, answer);
  const outside = outsideRound(council, candidate_event_id, of, answer);
  if (outside) {
    const { artifact_id, critics, window_s } = outside;
    job.recorder.record('OUTSIDE_CRITICS_ASKED', { iteration, candidate_event_id, artifact_id, critics, window_s });
  }
  const collected = yield* job.ask({
    kind: 'collect_votes',
    candidate: candidateOf(job, of, answer),
    candidate_event_id,
    critics: council.critics.map(({ critic_id }) => critic_id),
    timeout_ms: council.vote_collection_timeout_ms,
    ...(outside ? { outside } : {}),
    ...(called ? { called } : {}),
  });
  const { cast, decision: verdict } = decideAnswer(collected, council, limits);
  const { user_id } = accepted;
  const refs = cast.map((vote) =>
    job.recorder.record('COUNCIL_VOTE', { iteration, user_id, candidate_event_id, ...vote }),
  );
  job.votes.push(...refs);
  const final_confidence = finalConfidence(answer.confidence, verdict.council_score);
  job.recorder.record('COUNCIL_DECISION', {
    iteration,
    candidate_event_id,
    ...verdict,
    votes: refs.map((vote) => vote.event_id),
    final_confidence,
    repair_loops: job.repairs,
  });
  const { agent_id, node_id } = of;
  const apt = modules.find((module) => module.node_id === node_id)?.apt ?? 0;
  const enough = cast.length > 0 && (verdict.quorum_met || council.on_failure !== 'FAIL_CLOSED');
  const standing = enough && verdict.outcome !== 'rejected';
  const judged = { agent_id, node_id, apt, text: answer.text, final_confidence, standing };
  job.judged.push(judged);
  return { votes: cast, verdict, judged };
}

/** Null where no outside critic has a seat: nothing leaves the process then, and nothing more is recorded. */
function outsideRound(
  { critics, outside_window_s: window_s = DEFAULT_OUTSIDE_WINDOW_S }: AnswerCouncilPolicy,
  candidateEventId: string,
  { node_id }: TurnOf,
  { memory_write }: Answer,
): OutsideRound | null {
  const asked = critics.filter(({ outside }) => outside === true).map(({ critic_id }) => critic_id);
  if (asked.length === 0) return null;
  const artifact_id = answerArtifactId(candidateEventId);
  return { artifact_id, critics: asked, window_s, node_id, memory_write };
}

function calledRound(
  { critics }: AnswerCouncilPolicy,
  { node_id }: TurnOf,
  { memory_write }: Answer,
): CalledRound | null {
  const seats = critics.filter((seat) => seat.outside !== true && isElsewhere(seat));
  return seats.length === 0 ? null : { seats, node_id, memory_write };
}

function candidateOf(job: Job, { agent_id }: TurnOf, { text, confidence }: Answer): Candidate {
  return { query_text: job.input.accepted.query_text, agent_id, text, confidence, evidence: job.evidence };
}

/**
 * In this order: among answers of several agents that of the most trusted; one micro-repair by the verification agent;
 * people (spec/decisions.md "The answer council").
 */
function* resolveDeadlock(job: Job, of: TurnOf, answer: Answer, iteration: number): Steps<Ending> {
  const trusted = mostTrusted(job.judged);
  if (trusted?.standing) return resolved(job, iteration, 'most_trusted_agent', trusted);
  // The deadlock diverted the job here: what fails in the verification is a later failure.
  const deadlock = job.error('COUNCIL_DEADLOCK', 'no_majority', {});
  job.notices.push(deadlock);
  const verified = yield* verify(job, of, answer, iteration);
  if (verified) {
    job.notices.splice(job.notices.indexOf(deadlock), 1);
    return resolved(job, iteration, 'verification_agent', verified);
  }
  job.recorder.record('COUNCIL_DEADLOCK', { iteration, resolution: 'human_review', node_id: null });
  askPeople(job);
  return job.failed(deadlock);
}

type Resolution = 'most_trusted_agent' | 'verification_agent';

function resolved(job: Job, iteration: number, resolution: Resolution, judged: JudgedCandidate): Ending {
  job.recorder.record('COUNCIL_DEADLOCK', { iteration, resolution, node_id: judged.node_id });
  return job.completed(judged.text, judged.final_confidence);
}

/**
 * The last judged answer of the agent with the highest trust, lower node_id among equals; null unless several agents
 * answered. Where the critics refused exactly that answer, trust in its author does not put it back.
 */
function mostTrusted(judged: readonly JudgedCandidate[]): JudgedCandidate | null {
  const last = new Map(judged.map((one) => [one.node_id, one]));
  if (last.size < 2) return null;
  return [...last.values()].sort((a, b) => b.apt - a.apt || (a.node_id < b.node_id ? -1 : 1))[0]!;
}

/** The verification agent's own answer to what could not be agreed on, where the critics approve it; null otherwise. */
function* verify(job: Job, of: TurnOf, answer: Answer, iteration: number): Steps<JudgedCandidate | null> {
  const { modules } = job.input;
  const verifier = modules.find(
    (module) => module.agent_id === VERIFIER && module.status !== 'offline' && module.status !== 'quarantined',
  );
  if (!verifier || of.agent_id === VERIFIER) return null;
  const { depth, token_budget } = of;
  const checker = { agent_id: verifier.agent_id, node_id: verifier.node_id, depth, token_budget };
  const candidate = candidateOf(job, of, answer);
  const turn = { iteration, attempt: job.repairs + 1, suggestions: [], candidate };
  const checked = yield* takeTurn(job, checker, turn);
  if (checked.kind !== 'answer') return null;
  const { verdict, judged } = yield* putToVote(job, checker, checked, iteration);
  job.approved = verdict.outcome === 'approved';
  return job.approved ? judged : null;
}

/** The wish for a person's review; a reactor brings it before governance. */
function askPeople(job: Job): void {
  job.reviewReason = 'COUNCIL_DEADLOCK';
}
