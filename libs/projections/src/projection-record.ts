import { type EventLog, type Fold, type StreamHead } from '#lib/event-store';
import { MovedDecisions, type MovedPositions } from './moved-decisions.js';
import { type DomainEvent, type Provenance, systemSeed, traceId } from '#lib/kernel';
import { evolveDecisions, NO_DECISIONS, type ProjectionDecisions } from './domain/decisions.js';
import { endRebuild } from './domain/rebuild.js';
import { park, parkedAt } from './domain/parking.js';
import { type EventParked } from './domain/parking.events.js';
import { projectionStream, type RebuildEnded } from './domain/rebuild.events.js';

const DECISIONS: Fold<ProjectionDecisions> = {
  name: 'projection-decisions',
  initial: NO_DECISIONS,
  evolve: evolveDecisions,
};

/** What was decided about projections, in the log: streams `projection-{name}`. */
export class ProjectionRecord {
  private readonly moved: MovedDecisions;

  /** @param movedPositions where events lie now whose positions of another store stand in the log; none by default */
  constructor(
    private readonly log: EventLog,
    movedPositions?: MovedPositions,
  ) {
    this.moved = new MovedDecisions(log.store, movedPositions);
  }

  /** The same object as long as nothing new was decided. */
  async of(projection: string): Promise<ProjectionDecisions> {
    return this.moved.of((await this.log.fold(projectionStream(projection), DECISIONS)).state);
  }

  /** Of what was decided last about a projection: the ETag of what is told of its rebuilds. -1 before anything was. */
  async revisionOf(projection: string): Promise<number> {
    return (await this.log.fold(projectionStream(projection), DECISIONS)).head.version - 1;
  }

  /** Decides on what stands in the stream, again after each conflict; answers what then stands there. */
  async decide(
    projection: string,
    provenance: Provenance,
    decide: (decisions: ProjectionDecisions, revision: number) => readonly DomainEvent[],
  ): Promise<ProjectionDecisions> {
    const stream = projectionStream(projection);
    // What was decided before a log was moved changes no more; what is decided now names positions of this store.
    const here = await this.moved.translator((await this.log.fold(stream, DECISIONS)).state);
    const command = {
      stream,
      fold: DECISIONS,
      provenance,
      decide: (state: ProjectionDecisions, { version }: StreamHead) => decide(here(state), version - 1),
    };
    return this.moved.of((await this.log.execute(command)).state);
  }

  /** Puts the end of a rebuild on record, once; said by the process that made it. */
  async ended(ended: RebuildEnded): Promise<void> {
    const provenance = bySystem(ended.rebuild_id);
    await this.decide(ended.projection, provenance, (decisions) => endRebuild(decisions, ended));
  }

  /** Puts on record that an event is set aside, once for each time that it was to be tried. */
  async parked(event: EventParked): Promise<void> {
    const replays = parkedAt((await this.of(event.projection)).parked, event.position)?.replays ?? 0;
    const provenance = bySystem(`${event.projection}:${event.position}:${replays}`);
    await this.decide(event.projection, provenance, ({ parked }) => park(parked, event));
  }
}

function bySystem(what: string): Provenance {
  const jobSeed = systemSeed('projections', what);
  return { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
}
