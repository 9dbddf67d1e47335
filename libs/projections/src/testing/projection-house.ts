import { fixtureKeyRing } from '#lib/access';
import { EventCodec, EventLog, type EventStore, MemoryEventStore, SubjectCiphers } from '#lib/event-store';
import { EventRegistry, type Provenance, traceId } from '#lib/kernel';
import { MemoryReadStore, type ReadStore } from '#lib/read-store';
import { MemorySubjectKeys } from '../../../event-store/src/memory/memory-subject-keys.js';
import { projectionEvents } from '../domain/rebuild.events.js';
import { type MovedPositions } from '../moved-decisions.js';
import { Parking } from '../parking.js';
import { type Projection } from '../projection.js';
import { ProjectionHost } from '../projection-host.js';
import { ProjectionRecord } from '../projection-record.js';
import { type RunnerOptions } from '../projection-runner.js';
import { Rebuilds } from '../rebuilds.js';
import { notesProjection, parse } from './notes.js';

export const EVENTS = new EventRegistry(projectionEvents);

/** A record over any store, with the keys that everybody knows. */
export function recordOver(events: EventStore, movedPositions?: MovedPositions): ProjectionRecord {
  const ring = fixtureKeyRing();
  const codec = new EventCodec(EVENTS, ring, new SubjectCiphers(new MemorySubjectKeys(), ring));
  return new ProjectionRecord(new EventLog(events, codec), movedPositions);
}

/** One process that runs projections over stores that may outlive it. */
export class ProjectionHouse {
  readonly record: ProjectionRecord;
  readonly host: ProjectionHost;
  readonly rebuilds: Rebuilds;
  readonly parking: Parking;

  constructor(
    readonly events: EventStore = new MemoryEventStore(),
    readonly documents: ReadStore = new MemoryReadStore(),
    options: Partial<RunnerOptions> = {},
    readonly projection: Projection = notesProjection,
  ) {
    this.record = recordOver(events);
    const projections = [projection];
    this.host = new ProjectionHost({
      projections,
      events,
      documents,
      decode: parse,
      record: this.record,
      firstRetryMs: 1,
      maxRetryMs: 4,
      idleCheckpointMs: 5,
      ...options,
    });
    const { record, host } = this;
    this.rebuilds = new Rebuilds({ projections, events, documents, record, host });
    this.parking = new Parking({ projections, events, documents, decode: parse, record, host });
  }

  start(): this {
    this.host.start();
    return this;
  }

  stop(): Promise<void> {
    return this.host.stop();
  }
}

export function by(seed: string, requestDigest = 'digest'): Provenance {
  const actor = { id: 'user:olga', role: 'operator' };
  return { jobSeed: `cmd:${seed}`, sequenceIndex: 0, actor, traceId: traceId(seed), requestDigest };
}
