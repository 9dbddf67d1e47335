import {
  atLeast,
  canonicalCopy,
  developerMessage,
  errorEnvelope,
  traceId,
  type ErrorCode,
  type ErrorEnvelope,
  type JsonObject,
  type Situation,
  type MessageValues,
  type DeveloperCode,
} from '#lib/kernel';
import type { RouterDecision, RouteTrace } from '#lib/routing';

import type { ContentRef, EvidenceRecord, ReflectiveLogWritten } from '../domain/jobs.events.js';
import type { Effect, EffectResult, EffectResults } from './effects.js';
import type { EngineInput } from './input.js';
import { type EngineStep, Recorder } from './recorder.js';

/** A part of the engine: yields effects, is given results, and comes to a `T`. */
export type Steps<T> = Generator<EngineStep, T, EffectResult>;

/** How a job ended, before it is written down. */
export interface Ending {
  readonly status: ReflectiveLogWritten['status'];
  readonly final_answer: string | null;
  readonly final_confidence: number;
  readonly error: ErrorEnvelope | null;
}

/** An answer that the council has looked at. */
export interface JudgedCandidate {
  readonly agent_id: string;
  readonly node_id: string;
  /** Trust in the agent's module, from the pinned snapshot. */
  readonly apt: number;
  readonly text: string;
  readonly final_confidence: number;
  /** Whether it may still be given where the critics cannot agree: enough of them looked at it and did not refuse it. */
  readonly standing: boolean;
}

/** Errors of a job that was not allowed to do what it would have taken. */
const BLOCKING: readonly ErrorCode[] = ['PRIVACY_BLOCKED', 'PERMISSION_DENIED', 'UNAUTHENTICATED'];

/** Notices that nobody is told of who was answered all the same. */
const UNTOLD: readonly ErrorCode[] = ['PERMISSION_DENIED', 'SEM_NOT_FOUND'];

/** What a job has come to so far; the engine's only mutable state besides the recorder's. */
export class Job {
  readonly recorder: Recorder;
  readonly notices: ErrorEnvelope[] = [];
  /** node_ids that the router must do without. */
  readonly excluded: string[] = [];
  readonly outputs: ContentRef[] = [];
  /** Names of outputs of which a hash alone is recorded. */
  readonly unkept: string[] = [];
  readonly votes: ContentRef[] = [];
  readonly invoked: string[] = [];
  readonly iterations: JsonObject[] = [];
  readonly timings: Record<string, number> = {};
  readonly failures: { readonly node_id: string; readonly reason: string }[] = [];
  readonly judged: JudgedCandidate[] = [];
  /** What the question was taken for. */
  intentTags: readonly string[] = [];
  evidence: readonly EvidenceRecord[] = [];
  /** What this job wrote, each write once, however often an answer asks for it. */
  readonly written: EvidenceRecord[] = [];
  /** Whether memory was asked, and held nothing. */
  missed = false;
  tokens = 0;
  repairs = 0;
  decision: RouterDecision | null = null;
  /** The first choice of the router, and who first said that the question is not theirs. */
  firstDecision: RouterDecision | null = null;
  firstTrace: RouteTrace | null = null;
  declined: { readonly agent_id: string; readonly reason: string } | null = null;
  approved: boolean | null = null;
  /** Why a person is asked to review the job; null where nobody is. */
  reviewReason: ErrorCode | null = null;

  constructor(readonly input: EngineInput) {
    this.recorder = new Recorder(input.jobSeed);
  }

  /** Goes on with what the record will say of the result, rounded as the record rounds: a replay is given no more. */
  *ask<K extends keyof EffectResults>(effect: { kind: K } & Effect): Steps<EffectResults[K]> {
    const result = yield { events: this.recorder.take(), effect };
    return canonicalCopy(result as EffectResults[K]);
  }

  error<C extends DeveloperCode, S extends Situation<C>>(
    code: C,
    situation: S,
    told: MessageValues<C, S>,
  ): ErrorEnvelope {
    return this.envelope(code, developerMessage(code, situation, told));
  }

  envelope(code: ErrorCode, message: string): ErrorEnvelope {
    return errorEnvelope(code, message, {
      query_id: this.input.accepted.query_id,
      timestamp: this.input.accepted.created_at,
      trace_id: traceId(this.input.jobSeed),
    });
  }

  /**
   * What a module may not do is told to whoever asked only where nobody answered: they were refused nothing. So is what
   * memory does not hold: an answer that came after it says so itself.
   */
  completed(text: string, final_confidence: number): Ending {
    if (!atLeast(final_confidence, this.input.limits.min_confidence_threshold)) {
      this.notices.push(this.error('LOW_CONFIDENCE', 'below_minimum', { final_confidence }));
    }
    const notices = this.notices.filter(({ error_code }) => !UNTOLD.includes(error_code));
    this.notices.splice(0, Infinity, ...notices);
    return { status: 'completed', final_answer: text, final_confidence, error: null };
  }

  /**
   * The first failure that diverted the job is its error; what came after goes with it as notices.
   * @param error the last failure, unless it stands among the notices since it happened
   */
  failed(error: ErrorEnvelope): Ending {
    if (!this.notices.includes(error)) this.notices.push(error);
    const first = this.notices.shift()!;
    const status = BLOCKING.includes(first.error_code) ? 'blocked' : 'failed';
    return { status, final_answer: null, final_confidence: 0, error: first };
  }
}
