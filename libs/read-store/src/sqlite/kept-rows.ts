import type { SqlValue } from '#lib/sqlite';

import type { Statements } from './statements.js';

/** Characters of all that is kept; then all of it is let go, and what is asked for again is read again. */
export const MAX_KEPT = 4_000_000;

interface Kept {
  readonly rows: readonly unknown[];
  /** What was made of them; there once they were asked for twice. */
  made?: unknown;
}

/**
 * Rows as they were read, for as long as nobody has committed anything to the file since: SQLite tells whether another
 * connection has, of this process or another. So a list that is asked for again and again is read once, and never older
 * than it would be read. Personal fields are kept as they stand in the file, as ciphertext.
 */
export class KeptRows {
  private readonly kept = new Map<string, Kept>();
  private version = 0;
  private characters = 0;

  constructor(
    private readonly statements: Statements,
    private readonly limit = MAX_KEPT,
    /** Whether it is to be asked once more if anything was committed. */
    private readonly asks: () => boolean = () => true,
  ) {}

  /**
   * What is made of the rows that a statement gives, which are read again only where the file has changed. Once it was
   * asked for twice the same thing is given to all, frozen: read and parsed once, however many ask.
   */
  made<R, T>(sql: string, parameters: readonly SqlValue[], make: (rows: readonly R[]) => T): T {
    if (!parameters.every(isTellable)) return make(this.statements.get<R>(sql).all(...parameters));
    if (this.asks()) this.forgetOlder();
    const question = `${sql}\n${JSON.stringify(parameters)}`;
    const known = this.kept.get(question);
    if (known === undefined) {
      const rows = this.statements.get<R>(sql).all(...parameters);
      // What was kept before a commit is never given after what was read behind it.
      if (!this.forgetOlder()) this.keep(question, rows);
      return make(rows);
    }
    if (!('made' in known)) known.made = frozen(make(known.rows as readonly R[]));
    return known.made as T;
  }

  /** Whether anything was committed since this was asked last. */
  private forgetOlder(): boolean {
    const [version] = this.statements.get<[number]>('PRAGMA data_version', 'arrays').get()!;
    if (version === this.version) return false;
    this.version = version;
    this.forget();
    return true;
  }

  private forget(): void {
    this.kept.clear();
    this.characters = 0;
  }

  private keep(question: string, rows: readonly unknown[]): void {
    const characters = question.length + charactersOf(rows);
    if (characters > this.limit) return;
    if (this.characters + characters > this.limit) this.forget();
    this.kept.set(question, { rows });
    this.characters += characters;
  }
}

/** Whether JSON tells a parameter from every other. */
function isTellable(value: SqlValue): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : typeof value !== 'bigint';
}

/** Texts alone grow. */
function charactersOf(rows: readonly unknown[]): number {
  let characters = 0;
  for (const row of rows) {
    for (const value of Object.values(row as object)) characters += typeof value === 'string' ? value.length : 8;
  }
  return characters;
}

/** With all that is in it. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
