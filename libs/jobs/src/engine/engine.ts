import type { BrainStateConstants } from '#lib/brainstate';
import type { SafetyRules } from '#lib/council';
import type { RouterConstants, RoutingModule } from '#lib/routing';

import type { JobAccepted } from '../domain/jobs.events.js';
import { answerQuery } from './answering.js';
import type { EffectResult } from './effects.js';
import { Job } from './job.js';
import { recordBlocked, recordEnding } from './endings.js';
import type { EngineStep, NumberedEvent } from './recorder.js';

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

/**
 * A job as a pure, synchronous state machine: it yields what happened and the next effect it needs, is given the
 * effect's result, and returns the last events, the seal among them. Live and in replay this is the one code path.
 */
export function* decideJob(input: EngineInput): Generator<EngineStep, readonly NumberedEvent[], EffectResult> {
  const job = new Job(input);
  job.recorder.record('JOB_ACCEPTED', input.accepted);
  job.recorder.record('SNAPSHOTS_PINNED', {
    engine_version: ENGINE_VERSION,
    system_version: input.systemVersion,
    detector_version: input.detectorVersion,
    snapshots: input.snapshotIds,
  });
  if (input.accepted.blocked) recordBlocked(job);
  else recordEnding(job, yield* answerQuery(job));
  return job.recorder.take();
}
