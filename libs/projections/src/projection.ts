import { type RecordedEvent } from '#lib/event-store';
import { type EventMetadata, type JsonObject } from '#lib/kernel';
import { type Change, type CollectionDefinition } from '#lib/read-store';

/** An event as a projection sees it: of the current version, personal fields as stored (`{"$enc": ...}`). */
export interface ProjectedEvent {
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
}

/**
 * Stored text to event: parsing and upcasting, no decryption. Synchronous; what it throws makes the event a poison event.
 * An IntegrityError does not: such a row is no event, is told by who decodes, and changes nothing.
 * @param isOwn of what this process appended itself, as it appended it; anything else is verified
 */
export type Decode = (recorded: RecordedEvent, isOwn?: boolean) => ProjectedEvent;

/** A read model as a function of events. */
export interface Projection {
  /** [a-z][a-z0-9_-]*, at most 60; unique in a process. */
  readonly name: string;
  /** Raised when collections or `project` change: the read model is then made anew beside the old one. */
  readonly version: number;
  readonly collections: readonly CollectionDefinition[];
  /** The event types it reads; the others never reach it. */
  readonly types: readonly string[];
  /**
   * What an event changes. Pure and synchronous, sees one event and no document; what it throws makes it a poison event.
   */
  project(event: ProjectedEvent): readonly Change[];
  /**
   * Events of one partition keep their order or wait for each other, those of two may change places: no document may come
   * out otherwise. By stream where absent. Pure, as `project` is.
   */
  partition?(event: ProjectedEvent): string;
}
