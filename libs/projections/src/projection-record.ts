import { type EventLog, type Fold } from '#lib/event-store';
import { type DomainEvent, type Provenance, systemSeed, traceId } from '#lib/kernel';
import { endRebuild, evolveDecisions, NO_DECISIONS, type ProjectionDecisions } from './domain/rebuild.js';
import { projectionStream, type RebuildEnded } from './domain/rebuild.events.js';

const DECISIONS: Fold<ProjectionDecisions> = {
  name: 'projection-decisions',
  initial: NO_DECISIONS,
  evolve: evolveDecisions,
};

/** What was decided about projections, in the log: streams `projection-{name}`. */
export class ProjectionRecord {
  constructor(private readonly log: EventLog) {}

  async of(projection: string): Promise<ProjectionDecisions> {
    return (await this.log.fold(projectionStream(projection), DECISIONS)).state;
  }

  /** Decides on what stands in the stream, again after each conflict; answers what then stands there. */
  async decide(
    projection: string,
    provenance: Provenance,
    decide: (decisions: ProjectionDecisions) => readonly DomainEvent[],
  ): Promise<ProjectionDecisions> {
    const stream = projectionStream(projection);
    return (await this.log.execute({ stream, fold: DECISIONS, provenance, decide })).state;
  }

  /** Puts the end of a rebuild on record, once; said by the process that made it. */
  async ended(ended: RebuildEnded): Promise<void> {
    const jobSeed = systemSeed('projections', ended.rebuild_id);
    const actor = { id: 'system', role: 'system' };
    const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) };
    await this.decide(ended.projection, provenance, (decisions) => endRebuild(decisions, ended));
  }
}
