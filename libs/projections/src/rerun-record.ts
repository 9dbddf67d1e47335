import { type EventLog, type Fold } from '#lib/event-store';
import { type Provenance, systemSeed, traceId } from '#lib/kernel';
import { beginRerun, endRerun, evolveRerun, type RerunFacts } from './domain/rerun.js';
import { type RerunBegun, type RerunEnded, rerunStream } from './domain/rerun.events.js';

const RERUN: Fold<RerunFacts | null> = { name: 'projection-rerun', initial: null, evolve: evolveRerun };

/** Reruns in the log: streams `rerun-{rerun_id}`. */
export class RerunRecord {
  constructor(private readonly log: EventLog) {}

  /** Null where none of this id was asked for. @throws IntegrityError, and what the store throws */
  async find(rerunId: string): Promise<RerunFacts | null> {
    return (await this.log.fold(rerunStream(rerunId), RERUN)).state;
  }

  /** Once a rerun. @throws MaceError IDEMPOTENCY_KEY_REUSED; what the store throws */
  async begun(order: RerunBegun, provenance: Provenance): Promise<void> {
    const stream = rerunStream(order.rerun_id);
    await this.log.execute({
      stream,
      fold: RERUN,
      provenance,
      decide: (state) => beginRerun(state, order, provenance),
    });
  }

  /** Once a rerun, said by the process that made it. */
  async ended(ended: RerunEnded): Promise<void> {
    const jobSeed = systemSeed('projections', ended.rerun_id);
    const actor = { id: 'system', role: 'system' };
    const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) };
    const stream = rerunStream(ended.rerun_id);
    await this.log.execute({ stream, fold: RERUN, provenance, decide: (state) => endRerun(state, ended) });
  }
}
