import type { EventStore, IntegrityError, RecordedEvent } from '#lib/event-store';
import type { ReadStore } from '#lib/read-store';

import type { LeaseOptions } from './lease.js';
import type { ProjectedEvent } from './projection.js';

/** What must follow from events in other streams. */
export interface Reaction {
  /** [a-z][a-z0-9_-]*, at most 60; unique among projections and reactors. */
  readonly name: string;
  /** The event types it answers. */
  readonly types: readonly string[];
  /**
   * Does what follows from one event. Called at least once an event: a crash between the effect and the checkpoint calls
   * it again. What it appends has the ids of `reactionSeed(name, event_id)`, so that the second time appends nothing.
   * What it throws is taken for a fault that passes: it is called again, and later events wait. An IntegrityError of the
   * event's own stream does not pass: it is told as tampering, and the next event is answered. One of another stream is told
   * too, and the answer is owed: the event is tried again now and then, and those behind it in its stream after it, while
   * all others are answered; so it is with an OwedAnswerError. What a newer release signed waits for that release.
   */
  react(event: ProjectedEvent): Promise<void>;
}

export interface ReactorOptions {
  readonly events: EventStore;
  /** Keeps the checkpoint. */
  readonly documents: ReadStore;
  /** Where other processes may answer the events too, one at a time; without it whoever starts last takes over at once. */
  readonly lease?: LeaseOptions;
  /** Other processes answer the events: it never begins. Default false. */
  readonly isElsewhere?: boolean;
  /**
   * The event, verified: what nobody signed must not lead to what is signed.
   * @throws IntegrityError for what is not what was signed
   */
  readonly open: (recorded: RecordedEvent) => Promise<ProjectedEvent>;
  /**
   * Told of each event that was not answered because it, or its stream, is not what was signed; and of each whose answer is
   * owed because a stream is not, once a place.
   */
  readonly onTampered: (error: IntegrityError, recorded: EventPlace) => void;
  /** Told of each failed attempt. */
  readonly onFault?: (fault: ReactorFault) => void;
  /** Told once it goes again, with how many attempts had failed in a row. */
  readonly onHealed?: (reactor: string, attempts: number) => void;
  /** Pause after the first fault; doubled with each further one. Default 50. */
  readonly firstRetryMs?: number;
  /** Default 30,000; so long it is, too, until what is owed is tried again. */
  readonly maxRetryMs?: number;
  /** After how many positions without an event of its own the checkpoint is moved all the same. Default 5,000. */
  readonly idlePositions?: number;
}

/** Where an event stands. */
export type EventPlace = Pick<RecordedEvent, 'stream' | 'revision' | 'position'>;

export interface ReactorFault {
  readonly reactor: string;
  /** Null where it was not an event but a store that failed. */
  readonly event_id: string | null;
  readonly attempts: number;
  readonly error: unknown;
}
