import type { LoggedEvent } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';

import type { PurgedPlace } from './domain/manifest.js';

/** What data-subject requests ask of others; each is given by whoever wires them (dsr.module.ts). */

/** Proves that somebody is who they say, by their own second factor; a wrong proof counts for its lock. */
export interface IdentityProof {
  /** @throws MaceError UNAUTHENTICATED, RATE_LIMITED */
  verifyOneTimeCode(userId: string, code: string, now: number): Promise<void>;
}

/** A place besides the log that may hold something of a person. */
export interface ErasablePlace {
  /**
   * Removes what it holds of the person, or counts what nobody can read any more; again is no error.
   * @param kids the data keys that were destroyed
   */
  purge(subject: string, kids: readonly string[]): Promise<readonly PurgedPlace[]>;
}

/** Forensic evidence, by the name that events give it. */
export interface ErasableEvidence {
  /** Deletes it for a request and leaves in its trail that it did; again is no error. */
  erase(evidenceRef: string, dsrId: string): Promise<void>;
}

/** Tells people of a step of an erasure that fails on and on. */
export interface ErasureAlarm {
  /** Again is no error, and tells nobody again. */
  raise(cause: EventReference): Promise<void>;
  /** Nothing where it was not raised. */
  end(cause: EventReference): Promise<void>;
}

/** The event whose step it is. */
export interface EventReference {
  readonly event_id: string;
  readonly type: string;
  readonly stream: string;
}

/** Jobs of a person who is erased. */
export interface SubjectJobs {
  /** Ends those that this process has under way, without writing anything more of them. */
  stop(subject: string): Promise<void>;
  /** Those of these that have no seal. */
  unfinished(jobIds: readonly string[]): Promise<readonly string[]>;
  /** Closes them as failed; one that is closed already is no error. */
  close(jobIds: readonly string[]): Promise<void>;
}

/** One write of a key as its owner may see it; revoked values are not in it. */
export interface ExportedWrite {
  readonly revision: number;
  readonly position: string;
  readonly content: JsonObject;
}

/** Memory as its owner may read it. */
export interface SubjectMemory {
  /** Oldest first. */
  writes(key: string): AsyncIterable<ExportedWrite>;
}

/**
 * Whether the consents that an event's content was stored under still stand at `now`, milliseconds since the Unix epoch; the
 * event is in plain.
 */
export type Standing = (event: LoggedEvent, subject: string, now: number) => Promise<boolean>;

/** Real time, and waiting for it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Settles once `now()` is at or past `until`; rejects where the process stops before. */
  waitUntil(until: number): Promise<void>;
}
