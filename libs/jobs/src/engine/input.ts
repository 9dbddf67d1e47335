import type { BrainStateConstants } from '#lib/brainstate';
import type { AnswerCouncilPolicy, SafetyRules } from '#lib/council';
import type { RouterConstants, RoutingModule } from '#lib/routing';

import type { JobAccepted } from '../domain/jobs.events.js';
import type { TakenFromRecord } from './erased-record.js';
import type { EngineVersion } from './engine-version.js';

export interface JobLimits {
  readonly agent_timeout_ms: number;
  readonly max_iterations: number;
  readonly max_repair_loops: number;
  readonly credential_threshold: number;
  readonly min_confidence_threshold: number;
  readonly answer_council: AnswerCouncilPolicy;
}

/** Everything a job's decisions are made of, besides what its effects bring. */
export interface EngineInput {
  readonly jobSeed: string;
  /** Which of the released engines decides: that of now for a new job, the recorded one for any other. */
  readonly engineVersion: EngineVersion;
  readonly accepted: JobAccepted;
  readonly systemVersion: string;
  readonly detectorVersion: string;
  readonly snapshotIds: Readonly<Record<string, string>>;
  readonly router: RouterConstants;
  readonly brainstate: BrainStateConstants;
  readonly limits: JobLimits;
  readonly safety: SafetyRules;
  readonly modules: readonly RoutingModule[];
  /** Present only in a replay of a job whose person was erased. */
  readonly taken?: TakenFromRecord;
}
