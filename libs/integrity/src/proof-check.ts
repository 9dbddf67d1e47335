import type { LogPlaces } from '#lib/event-store';

import type { Fault } from './domain/fault.js';

export interface ProofFault {
  readonly reason: string;
  /** Of the first event of which something else was kept, and made again; null where the events are other ones. */
  readonly position: string | null;
}

/** The Merkle log, as far as a walk compares with it (spec/replay.md, "Integrity"). */
export interface ProofCheck {
  /** Number of events that the newest signed checkpoint covers; 0 before the first. */
  signedSize(): number;
  /** Number of events in the log as it is now, by its leaves; null where the Merkle log does not come to its head in time. */
  length(): Promise<number | null>;
  /**
   * Whether a tree that was computed again from the events is the beginning of the one that is signed: what the chains
   * cannot show, the end of a stream removed or a stream as a whole, shows here.
   * @param size number of events, all from the first on
   * @param root RFC 9162 root over their leaves, lower-case hex; null where events are missing, so that there is none
   * @param places which of them stands where; null where that is not known
   * @returns what is wrong; null where nothing is
   * @throws MaceError WAIT_TIMEOUT where no checkpoint covers them in time, and nothing is wrong with those that one covers
   */
  faultOf(size: number, root: string | null, places: LogPlaces | null): Promise<ProofFault | null>;
  /**
   * Where the events stand that are other ones than were signed, in the order of the log, a few at a time; none where that
   * cannot be told. To be asked once `faultOf` has found other events.
   */
  others(): AsyncIterable<readonly OtherEvent[]>;
  /** An admin's walk over the whole log has found the tree that is signed: it is signed again, where it was withheld. */
  release(): void;
  /**
   * Whether the events of one stream, as they are stored, are leaves of the tree that is signed, each at its place: what
   * was signed again with the keys, from one event to the stream's end, shows here. What was removed from its end does not.
   * @param version how many of them, from the first on
   * @param signal ends it early
   * @returns null where the signal ended it
   * @throws MaceError WAIT_TIMEOUT where no checkpoint covers them in time
   */
  ofStream(stream: string, version: number, signal: AbortSignal): Promise<StreamLeaves | null>;
}

export interface OtherEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
}

export interface StreamLeaves {
  /** How many events were compared. */
  readonly leaves: number;
  /** The first that is another than was signed; without a stream where it is the tree that is not what was signed. */
  readonly fault: Omit<Fault, 'detector'> | null;
}
