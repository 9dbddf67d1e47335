import { type BrainState, type Episode, episodicSummary, redactFound } from '#lib/brainstate';
import type { Finding } from '#lib/privacy';

import { type PlacedFinding, redactionsOf } from '../domain/episode-redaction.js';
import type { Job, Steps } from './job.js';

/**
 * The job's one episodic_summary, where anything was consolidated. Memory may hold what its owner consented to, and an
 * episodic write does not: what the detector finds is recorded with the event, and a replay redacts by that.
 */
export function* recordEpisode(job: Job, state: BrainState, brainstate_id: string): Steps<void> {
  const values = state.CWM.items.map(({ value }) => value);
  if (values.length === 0) return;
  const findings = yield* job.ask({ kind: 'find_personal', values });
  const episode: Episode = {
    job_seed: job.input.jobSeed,
    brainstate_id,
    user_id: job.input.accepted.user_id,
    redact: (value, item) => redactFound(value, findings.filter((found) => found.item === item).map(foundIn)),
  };
  const summary = episodicSummary(state, episode)!;
  job.recorder.record(summary.type, { ...summary.data, ...redactionsOf(findings) });
}

function foundIn({ pointer, in: where, type, category, start, end, score, rule }: PlacedFinding) {
  return { pointer, in: where, finding: { type, category, start, end, score, rule } as Finding };
}
