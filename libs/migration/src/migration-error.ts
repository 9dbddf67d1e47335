/** The log cannot be moved, or not there; the message says why, and what to do. Where it was it is as it was. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** The files of a log that was moved were not all put aside yet; nothing is served before they are. */
export class MigrationUnfinishedError extends Error {
  constructor(folder: string) {
    super(`a migration of ${folder} was broken off at its end: give the same \`mace migrate\` again`);
    this.name = 'MigrationUnfinishedError';
  }
}
