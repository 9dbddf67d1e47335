import { type Candidate, type CouncilDecision, type CouncilVote, decideCouncil, finalConfidence } from '#lib/council';

import type { AgentResult } from './effects.js';
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
  if (verdict.outcome === 'deadlock') return { ending: yield* resolveDeadlock(job, answer, iteration) };
  if (job.repairs === job.input.limits.max_repair_loops) {
    const refused = `the critics refused ${job.repairs + 1} answers`;
    return { ending: job.failed(job.error('REPAIR_LIMIT_EXCEEDED', refused)) };
  }
  job.repairs++;
  return { suggestions: votes.map((vote) => vote.suggested_changes).filter((change) => change !== '') };
}

interface Round {
  readonly votes: readonly CouncilVote[];
  readonly verdict: CouncilDecision;
  readonly judged: JudgedCandidate;
}

function* putToVote(job: Job, of: TurnOf, answer: Answer, iteration: number): Steps<Round> {
  const candidate = candidateOf(job, of, answer);
  const votes = yield* job.ask({ kind: 'collect_votes', candidate });
  const { user_id } = job.input.accepted;
  const candidate_event_id = job.outputs.at(-1)!.event_id;
  const refs = votes.map((vote) =>
    job.recorder.record('COUNCIL_VOTE', { iteration, user_id, candidate_event_id, ...vote }),
  );
  job.votes.push(...refs);
  const verdict = decideCouncil(votes, job.input.limits);
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
  const apt = job.input.modules.find((module) => module.node_id === node_id)?.apt ?? 0;
  const judged = { agent_id, node_id, apt, text: answer.text, final_confidence };
  job.judged.push(judged);
  return { votes, verdict, judged };
}

function candidateOf(job: Job, { agent_id }: TurnOf, { text, confidence }: Answer): Candidate {
  return { query_text: job.input.accepted.query_text, agent_id, text, confidence, evidence: job.evidence };
}

/**
 * In this order: among answers of several agents that of the most trusted; one micro-repair by the verification agent;
 * people (spec/decisions.md "The answer council").
 */
function* resolveDeadlock(job: Job, answer: Answer, iteration: number): Steps<Ending> {
  const trusted = mostTrusted(job.judged);
  if (trusted) return job.completed(trusted.text, trusted.final_confidence);
  const verified = yield* verify(job, answer, iteration);
  if (verified) return verified;
  askPeople(job);
  return job.failed(job.error('COUNCIL_DEADLOCK', 'the critics reached no majority; a person was asked to review'));
}

/** The judged answer of the agent with the highest trust, lower node_id among equals; null unless there are several agents. */
function mostTrusted(judged: readonly JudgedCandidate[]): JudgedCandidate | null {
  if (new Set(judged.map(({ node_id }) => node_id)).size < 2) return null;
  return [...judged].sort((a, b) => b.apt - a.apt || (a.node_id < b.node_id ? -1 : 1))[0]!;
}

function* verify(job: Job, answer: Answer, iteration: number): Steps<Ending | null> {
  const { modules } = job.input;
  const verifier = modules.find(
    (module) => module.agent_id === VERIFIER && module.status !== 'offline' && module.status !== 'quarantined',
  );
  if (!verifier || job.decision!.agent_id === VERIFIER) return null;
  const { depth, token_budget } = job.decision!;
  const of = { agent_id: verifier.agent_id, node_id: verifier.node_id, depth, token_budget };
  const candidate = candidateOf(job, job.decision!, answer);
  const turn = { iteration, attempt: job.repairs + 1, suggestions: [], candidate };
  const checked = yield* takeTurn(job, of, turn);
  if (checked.kind !== 'answer') return null;
  const { verdict, judged } = yield* putToVote(job, of, checked, iteration);
  job.approved = verdict.outcome === 'approved';
  return job.approved ? job.completed(judged.text, judged.final_confidence) : null;
}

/** The wish for a person's review; a reactor brings it before governance. */
function askPeople(job: Job): void {
  const { job_id, user_id } = job.input.accepted;
  job.recorder.record('HUMAN_REVIEW_REQUESTED', {
    job_id,
    user_id,
    reason: 'COUNCIL_DEADLOCK',
    candidate_event_ids: job.outputs.map((output) => output.event_id),
  });
}
