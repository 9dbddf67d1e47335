import { initialBrainState, tick, tokensOf, type BrainStateConstants } from '#lib/brainstate';
import { type CouncilVote, decideCouncil, finalConfidence, type SafetyRules } from '#lib/council';
import {
  atLeast,
  brainstateId,
  canonicalCopy,
  canonicalize,
  errorEnvelope,
  logId,
  sha256Hex,
  traceId,
  type ErrorCode,
  type ErrorEnvelope,
  type JsonObject,
} from '#lib/kernel';
import {
  classifyQuery,
  decide,
  type QueryClassification,
  type RouterConstants,
  type RouterDecision,
  type RoutingModule,
} from '#lib/routing';

import type {
  AgentOutput,
  ContentRef,
  EvidenceRecord,
  JobAccepted,
  ReflectiveLogWritten,
} from '../domain/jobs.events.js';
import type { AgentResult, EffectResults, WriteResult } from './effects.js';
import { type EngineStep, Recorder } from './recorder.js';

/** Raised by any change in what the engine yields for the same record (spec/decisions.md "The job"). */
export const ENGINE_VERSION = 1;

export interface JobLimits {
  readonly agent_timeout_ms: number;
  readonly max_iterations: number;
  readonly max_repair_loops: number;
  readonly credential_threshold: number;
  readonly min_confidence_threshold: number;
}

/** Everything a job's decisions are made of, besides what its effects bring. */
export interface EngineInput {
  readonly jobSeed: string;
  readonly accepted: JobAccepted;
  readonly systemVersion: string;
  readonly detectorVersion: string;
  readonly snapshotIds: Readonly<Record<string, string>>;
  readonly router: RouterConstants;
  readonly brainstate: BrainStateConstants;
  readonly limits: JobLimits;
  readonly safety: SafetyRules;
  readonly modules: readonly RoutingModule[];
}

type Steps<T> = Generator<EngineStep, T, EffectResults[keyof EffectResults]>;

/** How a job ended, before it is written down. */
interface Ending {
  readonly status: ReflectiveLogWritten['status'];
  readonly final_answer: string | null;
  readonly final_confidence: number;
  readonly error: ErrorEnvelope | null;
}

/**
 * A job as a pure, synchronous state machine: it yields what happened and the next effect it needs, is given the
 * effect's result, and returns the last events, the seal among them. Live and in replay this is the one code path.
 */
export function* decideJob(
  input: EngineInput,
): Generator<EngineStep, readonly EngineStep['events'][number][], EffectResults[keyof EffectResults]> {
  const job = new Job(input);
  yield* job.run();
  return job.recorder.take();
}

class Job {
  readonly recorder: Recorder;
  private readonly notices: ErrorEnvelope[] = [];
  private readonly excluded: string[] = [];
  private readonly outputs: ContentRef[] = [];
  private readonly votes: ContentRef[] = [];
  private readonly invoked: string[] = [];
  private readonly iterations: JsonObject[] = [];
  private readonly timings: Record<string, number> = {};
  private evidence: readonly EvidenceRecord[] = [];
  private tokens = 0;
  private repairs = 0;
  private decision: RouterDecision | null = null;
  private approved: boolean | null = null;

  constructor(private readonly input: EngineInput) {
    this.recorder = new Recorder(input.jobSeed);
  }

  *run(): Steps<void> {
    const { accepted } = this.input;
    this.recorder.record('JOB_ACCEPTED', accepted);
    this.recorder.record('SNAPSHOTS_PINNED', {
      engine_version: ENGINE_VERSION,
      system_version: this.input.systemVersion,
      detector_version: this.input.detectorVersion,
      snapshots: this.input.snapshotIds,
    });
    if (accepted.blocked) return this.close(this.blocked());
    const classification = classifyQuery({ query_text: accepted.query_text, has_user: true });
    this.recorder.record('QCP_CLASSIFIED', classification);
    const ending = yield* this.answer(classification);
    this.tickBrainState();
    this.close(ending);
  }

  /** Routes, asks, has the answer judged, and goes on without an agent that failed. */
  private *answer(classification: QueryClassification): Steps<Ending> {
    for (let iteration = 1; iteration <= this.input.limits.max_iterations; iteration++) {
      const decision = this.route(classification, iteration);
      if (!decision) return this.failed(this.error('ROUTER_NO_MATCH', 'no enabled module serves this intent'));
      const ending = yield* this.attempt(decision, iteration);
      if (ending) return ending;
      this.excluded.push(decision.node_id);
    }
    return this.failed(this.error('ROUTER_NO_MATCH', 'every candidate was tried'));
  }

  private route(classification: QueryClassification, iteration: number): RouterDecision | null {
    const { accepted, router, modules, brainstate } = this.input;
    const state = initialBrainState(brainstate);
    const result = decide({
      classification,
      modules,
      attention: state.attention,
      goals: [],
      budget: state.resource_budget,
      constants: router,
      excluded: this.excluded,
      has_user: true,
    });
    const query_hash = sha256Hex(accepted.query_text);
    const chosen = 'error_code' in result ? null : result;
    const record = this.recorder.record('ROUTER_DECISION', {
      iteration,
      user_id: accepted.user_id,
      agent_id: chosen?.agent_id ?? null,
      node_id: chosen?.node_id ?? null,
      route_reason: chosen?.route_reason ?? null,
      depth: chosen?.depth ?? 0,
      token_budget: chosen?.token_budget ?? 0,
      excluded: [...this.excluded].sort(),
      route_trace: result.route_trace,
      query_hash,
    });
    this.iterations.push({ iteration, router_event: record.event_id, agent_id: chosen?.agent_id ?? null });
    if (!chosen || chosen.route_reason === 'fallback_generic') {
      const intent_tags = classification.intent_tags;
      this.recorder.record('router_miss', { iteration, user_id: accepted.user_id, intent_tags, query_hash });
    }
    if (chosen) this.decision = chosen;
    return chosen;
  }

  /** One agent's turn, repairs included; null where the router must look for another. */
  private *attempt(decision: RouterDecision, iteration: number): Steps<Ending | null> {
    let suggestions: readonly string[] = [];
    for (;;) {
      const result = yield* this.invoke(decision, iteration, this.repairs + 1, suggestions);
      if (result.kind === 'timeout' || result.kind === 'exception') return this.noteFailure(decision, result.kind);
      if (result.kind === 'declined') return null;
      if (result.kind === 'miss') return this.missed(result.key);
      if (result.kind === 'unavailable') return this.failed(this.error('LLM_SERVICE_DOWN', result.reason));
      const output = this.outputs.at(-1)!;
      const written = yield* this.write(result);
      if (written && !written.ok)
        return this.failed(this.error(written.error_code, `the memory write failed: ${written.fault}`));
      const votes = yield* this.vote(result, output, iteration);
      const verdict = decideCouncil(votes, this.input.limits);
      const final_confidence = finalConfidence(result.confidence, verdict.council_score);
      this.recorder.record('COUNCIL_DECISION', {
        iteration,
        candidate_event_id: output.event_id,
        outcome: verdict.outcome,
        council_score: verdict.council_score,
        approvals: verdict.approvals,
        rejections: verdict.rejections,
        votes: this.votes.slice(-votes.length).map((vote) => vote.event_id),
        final_confidence,
        repair_loops: this.repairs,
      });
      this.approved = verdict.outcome === 'approved';
      if (verdict.outcome === 'approved') return this.completed(result.text, final_confidence);
      if (verdict.outcome === 'deadlock')
        return this.failed(this.error('COUNCIL_DEADLOCK', 'the critics reached no majority'));
      if (this.repairs === this.input.limits.max_repair_loops) {
        return this.failed(this.error('REPAIR_LIMIT_EXCEEDED', `the critics refused ${this.repairs + 1} answers`));
      }
      this.repairs++;
      suggestions = votes.map((vote) => vote.suggested_changes).filter((change) => change !== '');
    }
  }

  private *invoke(
    decision: RouterDecision,
    iteration: number,
    attempt: number,
    suggested_changes: readonly string[],
  ): Steps<AgentResult> {
    const { agent_id, node_id, depth, token_budget } = decision;
    const { user_id } = this.input.accepted;
    const timeout_ms = this.input.limits.agent_timeout_ms;
    this.recorder.record('AGENT_INVOKED', {
      iteration,
      attempt,
      agent_id,
      node_id,
      user_id,
      depth,
      token_budget,
      suggested_changes,
    });
    const result = yield* this.ask({
      kind: 'invoke_agent',
      agent_id,
      node_id,
      depth,
      token_budget,
      timeout_ms,
      suggested_changes,
    });
    this.invoked.push(agent_id);
    const place = { iteration, attempt, agent_id, node_id };
    if (result.kind === 'timeout') this.recorder.record('AGENT_TIMEOUT', { ...place, timeout_ms });
    else if (result.kind === 'exception')
      this.recorder.record('AGENT_EXCEPTION', { ...place, user_id, reason: result.reason });
    else this.recordOutput(place, result);
    return result;
  }

  private recordOutput(
    place: Pick<AgentOutput, 'iteration' | 'attempt' | 'agent_id' | 'node_id'>,
    result: Exclude<AgentResult, { kind: 'timeout' | 'exception' }>,
  ): void {
    const answer = result.kind === 'answer' ? result : null;
    const output: AgentOutput = {
      ...place,
      user_id: this.input.accepted.user_id,
      outcome: result.kind,
      confidence: answer?.confidence ?? 0,
      tokens: answer ? tokensOf(answer.text) : 0,
      time_ms: result.time_ms,
      text: answer?.text ?? '',
      reasoning_trace: answer?.reasoning_trace ?? [],
      evidence: answer?.evidence ?? [],
      memory_write: answer?.memory_write ?? null,
      detail: result.kind === 'miss' ? result.key : result.kind === 'answer' ? '' : result.reason,
    };
    this.outputs.push(this.recorder.record('AGENT_OUTPUT', output));
    this.evidence = output.evidence;
    this.tokens += output.tokens;
    this.timings[place.agent_id] = (this.timings[place.agent_id] ?? 0) + output.time_ms;
  }

  /** A write that the asking user asked for; a store's fault on it was answered by exactly one retry (spec/memory.md). */
  private *write(result: Extract<AgentResult, { kind: 'answer' }>): Steps<WriteResult | null> {
    if (!result.memory_write) return null;
    const { key, value } = result.memory_write;
    const { user_id } = this.input.accepted;
    const prepared = yield* this.ask({ kind: 'prepare_write', key });
    this.recorder.record('MEMORY_WRITE_REQUESTED', { user_id, key, value, ...prepared });
    const sequence_index = this.recorder.reserveIndex();
    const written = yield* this.ask({ kind: 'write_memory', key, value, ...prepared, sequence_index });
    if (written.attempts > 1) this.recorder.record('RETRY_ATTEMPT', { attempt_index: written.attempts - 1, key });
    this.recorder.record('MEMORY_WRITE_RESULT', written);
    if (written.ok) {
      this.evidence = [...this.evidence, { key, revision: written.revision, value, timestamp: prepared.timestamp }];
    } else {
      const { error_code, attempts, fault } = written;
      this.recorder.record('MEMORY_WRITE_FAIL', { key, error_code, attempts, fault });
    }
    return written;
  }

  private *vote(
    result: Extract<AgentResult, { kind: 'answer' }>,
    output: ContentRef,
    iteration: number,
  ): Steps<readonly CouncilVote[]> {
    const votes = yield* this.ask({
      kind: 'collect_votes',
      candidate: {
        query_text: this.input.accepted.query_text,
        agent_id: this.decision!.agent_id,
        text: result.text,
        confidence: result.confidence,
        evidence: this.evidence,
      },
    });
    const { user_id } = this.input.accepted;
    for (const vote of votes) {
      this.votes.push(
        this.recorder.record('COUNCIL_VOTE', { iteration, user_id, candidate_event_id: output.event_id, ...vote }),
      );
    }
    return votes;
  }

  /** Goes on with what the record will say of the result, rounded as the record rounds: a replay is given no more. */
  private *ask<K extends keyof EffectResults>(effect: { kind: K } & EngineStep['effect']): Steps<EffectResults[K]> {
    const result = yield { events: this.recorder.take(), effect };
    return canonicalCopy(result as EffectResults[K]);
  }

  private tickBrainState(): void {
    const { accepted, brainstate, jobSeed } = this.input;
    const insert = [
      { type: 'context', value: accepted.query_text },
      ...this.evidence.map((piece) => ({ type: 'fact', value: piece.value })),
    ];
    const after = tick(
      initialBrainState(brainstate),
      { insert, council_approves: this.approved, user_upvotes: null },
      jobSeed,
      brainstate,
    );
    const brainstate_id = brainstateId(jobSeed, this.recorder.nextTimestamp);
    this.recorder.record('BRAINSTATE_TICK', { brainstate_id, user_id: accepted.user_id, ...after });
  }

  private blocked(): Ending {
    const { accepted } = this.input;
    for (const finding of accepted.pii_findings) {
      this.recorder.record('PII_FLAGGED', { ...finding, redaction_reason: 'PII_DETECTED' });
    }
    const types = [...new Set(accepted.pii_findings.map((finding) => finding.pii_type))].sort().join(', ');
    const error = this.error('PRIVACY_BLOCKED', `the query holds personal data: ${types}`);
    return { status: 'blocked', final_answer: null, final_confidence: 0, error };
  }

  private completed(text: string, final_confidence: number): Ending {
    if (!atLeast(final_confidence, this.input.limits.min_confidence_threshold)) {
      this.notices.push(this.error('LOW_CONFIDENCE', `final confidence ${final_confidence} is below the minimum`));
    }
    return { status: 'completed', final_answer: text, final_confidence, error: null };
  }

  /** The first failure that diverted the job is its error; what came after goes with it as notices. */
  private failed(error: ErrorEnvelope): Ending {
    this.notices.push(error);
    const first = this.notices.shift()!;
    const status = first.error_code === 'PRIVACY_BLOCKED' ? 'blocked' : 'failed';
    return { status, final_answer: null, final_confidence: 0, error: first };
  }

  private missed(key: string): Ending {
    const { query_id, user_id } = this.input.accepted;
    this.recorder.record('sem_miss', { query_id, user_id, key });
    return this.failed(this.error('SEM_NOT_FOUND', `SEM lookup for key ${key} returned empty.`));
  }

  private noteFailure(decision: RouterDecision, kind: 'timeout' | 'exception'): null {
    const notice =
      kind === 'timeout'
        ? this.error(
            'AGENT_TIMEOUT',
            `${decision.agent_id} gave no answer within ${this.input.limits.agent_timeout_ms} ms`,
          )
        : this.error('AGENT_ERROR', `${decision.agent_id} raised an exception`);
    this.notices.push(notice);
    return null;
  }

  private error(code: ErrorCode, developerMessage: string): ErrorEnvelope {
    return errorEnvelope(code, developerMessage, {
      query_id: this.input.accepted.query_id,
      timestamp: this.input.accepted.created_at,
      trace_id: traceId(this.input.jobSeed),
    });
  }

  private close(ending: Ending): void {
    const { accepted, jobSeed, snapshotIds, systemVersion } = this.input;
    const log: ReflectiveLogWritten = {
      log_id: logId(accepted.query_id, this.recorder.nextTimestamp, jobSeed),
      job_id: accepted.job_id,
      query_id: accepted.query_id,
      user_id: accepted.user_id,
      source: accepted.source,
      ...ending,
      agents_invoked: this.invoked,
      agent_id: this.decision?.agent_id ?? null,
      route_reason: this.decision?.route_reason ?? null,
      depth: this.decision?.depth ?? 0,
      repair_loops: this.repairs,
      cache_hit: false,
      runtime_metrics: {
        total_time_ms: Object.values(this.timings).reduce((sum, ms) => sum + ms, 0),
        per_agent_time_ms: { ...this.timings },
        tokens_used: this.tokens,
      },
      system_version: systemVersion,
      snapshots: snapshotIds,
      iteration_trace: this.iterations,
      event_refs: [...this.outputs, ...this.votes].map((ref) => ref.event_id),
      replayable: true,
      missing_artifacts: [],
      query_text_hash: accepted.query_text_hash,
      sem_snapshot_hash: snapshotHash(this.evidence),
      agent_outputs: this.outputs.map(plainRef),
      council_votes: this.votes.map(plainRef),
      notices: this.notices,
    };
    this.recorder.record('REFLECTIVE_LOG_WRITTEN', log);
    this.recorder.record('JOB_SEALED', { count: this.recorder.count });
  }
}

/** sha256 over [key, value, timestamp] of what a job read, sorted by key (spec/memory.md). */
export function snapshotHash(evidence: readonly EvidenceRecord[]): string {
  const rows = evidence.map((piece) => [piece.key, piece.value, piece.timestamp] as const);
  return sha256Hex(canonicalize([...rows].sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0))));
}

function plainRef(ref: ContentRef): ContentRef {
  return { event_id: ref.event_id, hash: ref.hash };
}
