import { canonicalize, eventId, sha256Hex, timestampSeeded, type DomainEvent } from '#lib/kernel';

import type { JobEventType } from '../domain/job-event-types.js';
import { jobEvent, type ContentRef } from '../domain/jobs.events.js';
import type { Effect } from './effects.js';

/** What the engine hands out at each step: what happened since the last one, and what it needs to go on. */
export interface EngineStep {
  readonly events: readonly NumberedEvent[];
  readonly effect: Effect;
}

/** An event of the job with its place among all of the job's events, those in other streams included. */
export interface NumberedEvent extends DomainEvent {
  readonly sequenceIndex: number;
}

/** Numbers a job's events; the engine's only mutable state. */
export class Recorder {
  private pending: NumberedEvent[] = [];
  private next = 0;
  private recorded = 0;

  constructor(readonly jobSeed: string) {}

  /** Number of events in the job's own stream so far. */
  get count(): number {
    return this.recorded;
  }

  /** Seeded time of the event that comes next. */
  get nextTimestamp(): string {
    return timestampSeeded(this.jobSeed, this.next);
  }

  /** Id of the event that comes next, if it is of this type. */
  nextEventId(type: JobEventType): string {
    return eventId(this.jobSeed, this.next, type);
  }

  record(type: JobEventType, data: object): ContentRef {
    const event = jobEvent(type, data);
    const sequenceIndex = this.next++;
    this.pending.push({ type: event.type, data: event.data, sequenceIndex });
    this.recorded++;
    return new LazyRef(this.jobSeed, sequenceIndex, event);
  }

  /** The index for an event that goes to another stream. */
  reserveIndex(): number {
    return this.next++;
  }

  take(): readonly NumberedEvent[] {
    const events = this.pending;
    this.pending = [];
    return events;
  }
}

/** Hashes only where somebody refers to the event. */
class LazyRef implements ContentRef {
  private id: string | undefined;

  constructor(
    private readonly jobSeed: string,
    private readonly sequenceIndex: number,
    private readonly event: DomainEvent,
  ) {}

  get event_id(): string {
    return (this.id ??= eventId(this.jobSeed, this.sequenceIndex, this.event.type));
  }

  get hash(): string {
    return sha256Hex(canonicalize(this.event.data));
  }
}
