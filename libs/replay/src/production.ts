import { replayJob, type ReplayFinding, type ReplayOptions, type ReplaySources } from './replay-job.js';

/**
 * Strict replay (seed 002 section 2): everything that a job was told by the world comes from its record, or the replay is
 * refused. It is made of the log and the snapshots and nothing else: there is no agent, no engine and no sandbox that it
 * could ask, whoever calls it and with whatever options (`.dependency-cruiser.mjs`, "production-replay-asks-nobody").
 */
export class ProductionReplay {
  constructor(private readonly sources: ReplaySources) {}

  /** @throws MaceError NOT_FOUND, CONFLICT */
  run(jobId: string, { clock, onward = false }: Pick<ReplayOptions, 'clock' | 'onward'>): Promise<ReplayFinding> {
    return replayJob(this.sources, jobId, { clock, onward });
  }
}
