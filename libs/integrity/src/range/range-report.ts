import type { Fault } from '../domain/fault.js';

/** Positions (after, to] of the log. */
export interface Range {
  readonly after: number;
  readonly to: number;
}

/** When an event was recorded, milliseconds since the Unix epoch, and where it stands. */
export interface EventTime {
  readonly at: number;
  readonly revision: number;
  readonly position: string;
}

/** The part of a stream that lies in a range: how it begins, for what lies before it, and how it ends. */
export interface StreamPart {
  readonly stream: string;
  readonly first: { readonly revision: number; readonly position: string; readonly type: string };
  /** prev_hash of the first event; null where it cannot be read or is not to be compared. */
  readonly prevHash: string | null;
  /** Revision after the last event. */
  readonly version: number;
  /** Signed times of the first and the last event that have one, milliseconds since the Unix epoch; null where none has. */
  readonly recorded: { readonly first: EventTime; readonly last: number } | null;
  /** Hash of the last event; null where that event has a fault, and nothing can be chained to it. */
  readonly hash: string | null;
}

/** A log that refers to events outside its range: checked by itself. */
export interface JobPlace {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
}

export interface ArtifactRef {
  readonly name: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly type: string;
}

/** What a range holds, without what it says: a thread's answer. */
export interface RangeReport {
  readonly range: Range;
  readonly events: number;
  readonly faults: readonly Fault[];
  /** Faults beyond those listed. */
  readonly moreFaults: number;
  /** Of those, the first of each job and snapshot: they go out of use however many others are spoiled. */
  readonly unlisted: readonly Fault[];
  /** The first findings of detector `time` within the range, at most LISTED_FAULTS. */
  readonly times: readonly Fault[];
  /** How many there are. */
  readonly timesFound: number;
  readonly streams: readonly StreamPart[];
  /** Logs whose references could not be checked within the range. */
  readonly openLogs: readonly JobPlace[];
  /** snapshot_id of each snapshot that begins in the range. */
  readonly snapshots: readonly string[];
  readonly artifacts: readonly ArtifactRef[];
  readonly sealedJobs: number;
  readonly references: number;
  readonly erasedReferences: number;
  readonly uncheckedReferences: number;
  /** sha256 over the hashes of its events, in order. */
  readonly digest: string;
  /** Which event stands at which position (RangePlaces). */
  readonly places: string;
  /** RFC 9162 root over the leaves of its events, lower-case hex; null where none are computed. */
  readonly root: string | null;
}
