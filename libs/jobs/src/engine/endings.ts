import { type BrainState, freeGoalId, type GoalOutcome, type GoalType, initialBrainState, tick } from '#lib/brainstate';
import { reviewRequestId } from '#lib/governance';
import { brainstateId, type ErrorCode, logId, type Json } from '#lib/kernel';
import { snapshotHash } from '#lib/memory';

import type { ContentRef, ReflectiveLogWritten } from '../domain/jobs.events.js';
import { recordEpisode } from './episode.js';
import type { Ending, Job, Steps } from './job.js';

/** A query that holds personal data: nothing was routed, and there is a log all the same. */
export function* recordBlocked(job: Job): Steps<void> {
  const { accepted } = job.input;
  for (const finding of accepted.pii_findings) {
    job.recorder.record('PII_FLAGGED', { ...finding, redaction_reason: 'PII_DETECTED' });
  }
  const types = [...new Set(accepted.pii_findings.map((finding) => finding.pii_type))].sort().join(', ');
  yield* recordLog(job, job.failed(job.error('PRIVACY_BLOCKED', 'query', { types })));
}

/** The last events of a job: its BrainState, its log, its seal. */
export function* recordEnding(job: Job, ending: Ending): Steps<void> {
  yield* recordBrainState(job, ending);
  if (job.reviewReason !== null) recordReview(job, job.reviewReason);
  yield* recordLog(job, ending);
}

const GOAL_OF: Readonly<Record<string, GoalType>> = {
  operational_agent: 'save',
  strategy_agent: 'plan',
  verification_agent: 'verify',
};

function* recordBrainState(job: Job, ending: Ending): Steps<void> {
  const { accepted, brainstate, jobSeed, taken } = job.input;
  const insert = [
    { type: 'context', value: accepted.query_text as Json },
    ...job.evidence.map((piece) => ({ type: 'fact', value: piece.value })),
  ];
  const before = initialBrainState(brainstate);
  const goal_id = freeGoalId(before.goals ?? []);
  const type = GOAL_OF[job.decision?.agent_id ?? ''] ?? 'answer';
  const ticked = tick(
    before,
    {
      insert,
      council_approves: job.approved,
      user_upvotes: null,
      goals: [{ goal_id, type, origin: 'user', priority: accepted.priority }],
      outcomes: [goal_id, ...servedGoals(job, before)].map((id) => outcomeOf(id, ending)),
      failures: job.failures,
      tokens_spent: job.tokens,
    },
    jobSeed,
    brainstate,
  );
  const state = { ...ticked, ...taken?.memory };
  const brainstate_id = brainstateId(jobSeed, job.recorder.nextTimestamp);
  job.recorder.record('BRAINSTATE_TICK', { brainstate_id, user_id: accepted.user_id, ...state });
  yield* recordEpisode(job, state, brainstate_id);
}

/**
 * Goals that the job's snapshot began with and that an answer to its intent is the deliverable of (seed 003 section
 * 4.5): those of a type that the router's policy says this intent serves.
 */
function servedGoals(job: Job, { goals = [] }: BrainState): readonly string[] {
  const intent = job.decision?.route_trace.intent;
  const served: Readonly<Record<string, readonly string[]>> = job.input.router.goal_intents;
  return goals
    .filter(({ type }) => intent !== undefined && Object.hasOwn(served, type) && served[type]!.includes(intent))
    .map(({ goal_id }) => goal_id);
}

function outcomeOf(goal_id: string, { final_answer, final_confidence, error }: Ending): GoalOutcome {
  return {
    goal_id,
    deliverable_produced: final_answer !== null,
    final_confidence,
    repairs_exhausted: error?.error_code === 'REPAIR_LIMIT_EXCEEDED',
  };
}

/** The wish for a person's review, with the id under which a reactor brings it before governance. */
function recordReview(job: Job, reason: ErrorCode): void {
  const { job_id, user_id } = job.input.accepted;
  const request_id = reviewRequestId(job.recorder.nextEventId('ACTION_REQUESTED'));
  const candidate_event_ids = job.outputs.map((output) => output.event_id);
  job.recorder.record('ACTION_REQUESTED', { request_id, job_id, user_id, reason, candidate_event_ids });
}

/** Whether the job can be replayed is decided by what is stored as it ends (seed 002 section 9). */
function* recordLog(job: Job, ending: Ending): Steps<void> {
  const { accepted, engineVersion, jobSeed, snapshotIds, systemVersion } = job.input;
  const unkept = job.unkept.length === 0 ? {} : { unkept: job.unkept };
  const snapshots = Object.values(snapshotIds);
  const missing_artifacts = yield* job.ask({ kind: 'check_artifacts', snapshots, ...unkept });
  const log: ReflectiveLogWritten = {
    log_id: logId(accepted.query_id, job.recorder.nextTimestamp, jobSeed),
    job_id: accepted.job_id,
    query_id: accepted.query_id,
    user_id: accepted.user_id,
    source: accepted.source,
    ...ending,
    ...(engineVersion < 3 ? {} : { error_code: ending.error?.error_code ?? null, created_at: accepted.created_at }),
    agents_invoked: job.invoked,
    agent_id: job.decision?.agent_id ?? null,
    route_reason: job.decision?.route_reason ?? null,
    depth: job.decision?.depth ?? 0,
    repair_loops: job.repairs,
    cache_hit: false,
    runtime_metrics: {
      total_time_ms: Object.values(job.timings).reduce((sum, ms) => sum + ms, 0),
      per_agent_time_ms: { ...job.timings },
      tokens_used: job.tokens,
    },
    system_version: systemVersion,
    snapshots: snapshotIds,
    iteration_trace: job.iterations,
    event_refs: [...job.outputs, ...job.votes].map((ref) => ref.event_id),
    replayable: missing_artifacts.length === 0,
    missing_artifacts,
    query_text_hash: accepted.query_text_hash,
    sem_snapshot_hash: snapshotHash(job.evidence),
    agent_outputs: job.outputs.map(plainRef),
    council_votes: job.votes.map(plainRef),
    notices: job.notices,
  };
  job.recorder.record('REFLECTIVE_LOG_WRITTEN', log);
  job.recorder.record('JOB_SEALED', { count: job.recorder.count });
}

function plainRef(ref: ContentRef): ContentRef {
  return { event_id: ref.event_id, hash: ref.hash };
}
