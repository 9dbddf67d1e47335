export interface ProofFault {
  readonly reason: string;
  /** Position of the first event that it is about; null where it is about the log as a whole. */
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
   * @returns what is wrong; null where nothing is
   * @throws MaceError WAIT_TIMEOUT where no checkpoint covers them in time
   */
  faultOf(size: number, root: string | null): Promise<ProofFault | null>;
}
