import { answerQuery } from './answering.js';
import type { EffectResult } from './effects.js';
import { Job } from './job.js';
import { recordBlocked, recordEnding } from './endings.js';
import type { EngineInput } from './input.js';
import type { EngineStep, NumberedEvent } from './recorder.js';

/**
 * A job as a pure, synchronous state machine: it yields what happened and the next effect it needs, is given the
 * effect's result, and returns the last events, the seal among them. Live and in replay this is the one code path.
 */
export function* decideJob(input: EngineInput): Generator<EngineStep, readonly NumberedEvent[], EffectResult> {
  const job = new Job(input);
  job.recorder.record('JOB_ACCEPTED', input.accepted);
  job.recorder.record('SNAPSHOTS_PINNED', {
    engine_version: input.engineVersion,
    system_version: input.systemVersion,
    detector_version: input.detectorVersion,
    snapshots: input.snapshotIds,
  });
  if (input.accepted.blocked) yield* recordBlocked(job);
  else yield* recordEnding(job, yield* answerQuery(job));
  return job.recorder.take();
}
