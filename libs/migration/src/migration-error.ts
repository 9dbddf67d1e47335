/** The log cannot be moved, or not there; the message says why, and what to do. Where it was it is as it was. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** A store holds what was copied of a log, and nothing says that this is all of it: nothing is served from there. */
export class HalfCopiedError extends Error {
  constructor() {
    super(
      'the event store holds the beginning of a log that `mace migrate` copies there, and the end of the copying is not on record. Give the same `mace migrate` again where the log lies, and start nothing here before it has ended with 0; where nobody has that log any more, give an empty database',
    );
    this.name = 'HalfCopiedError';
  }
}

/** The files of a log that was moved were not all put aside yet; nothing is served before they are. */
export class MigrationUnfinishedError extends Error {
  constructor(folder: string) {
    super(`a migration of ${folder} was broken off at its end: give the same \`mace migrate\` again`);
    this.name = 'MigrationUnfinishedError';
  }
}
