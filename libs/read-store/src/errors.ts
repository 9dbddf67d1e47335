/** A projection said something no store can keep; deterministic, so trying again is of no use. Nothing was written. */
export class InvalidChangeError extends Error {
  constructor(reason: string) {
    super(`a change cannot be stored: ${reason}`);
    this.name = 'InvalidChangeError';
  }
}

/** A generation, collection or index that is not there, is named wrongly or is defined in another way. */
export class ReadStoreDefinitionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReadStoreDefinitionError';
  }
}

/** The store did not do it or did not answer; whether a batch was written is told by the checkpoint. */
export class ReadStoreUnavailableError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`the read store is unavailable: ${reason}`, options);
    this.name = 'ReadStoreUnavailableError';
  }
}

/** The file is damaged or not ours. Read models hold nothing that the events do not. */
export class ReadStoreCorruptError extends Error {
  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(
      `the read models in ${path} cannot be used (${reason}). Nothing is lost: they are made from the events. ` +
        `Stop MACE, delete ${path}, ${path}-wal and ${path}-shm, and start again; it rebuilds them.`,
      options,
    );
    this.name = 'ReadStoreCorruptError';
  }
}
