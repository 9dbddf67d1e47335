import type { SqlValue } from '#lib/sqlite';

import type { Statements } from './statements.js';

/** Characters of all that is kept; then all of it is let go, and what is asked for again is read again. */
const MAX_KEPT = 4_000_000;

/**
 * Rows as they were read, for as long as nobody has committed anything to the file since: SQLite tells, at every question,
 * whether another connection has, of this process or another. So a list that is asked for again and again is read once,
 * and never older than it would be read. Texts are kept as they stand in the file, personal fields as ciphertext.
 */
export class KeptRows {
  private readonly kept = new Map<string, readonly unknown[]>();
  private version = 0;
  private characters = 0;

  constructor(
    private readonly statements: Statements,
    private readonly limit = MAX_KEPT,
  ) {}

  /** What a statement gives, read again only where the file has changed. Nobody may change the rows. */
  all<R>(sql: string, parameters: readonly SqlValue[]): readonly R[] {
    if (!parameters.every(isTellable)) return this.statements.get<R>(sql).all(...parameters);
    this.forgetOlder();
    const question = `${sql}\n${JSON.stringify(parameters)}`;
    const known = this.kept.get(question);
    if (known !== undefined) return known as readonly R[];
    const rows = this.statements.get<R>(sql).all(...parameters);
    this.keep(question, rows);
    return rows;
  }

  private forgetOlder(): void {
    const [version] = this.statements.get<[number]>('PRAGMA data_version', 'arrays').get()!;
    if (version === this.version) return;
    this.version = version;
    this.forget();
  }

  private forget(): void {
    this.kept.clear();
    this.characters = 0;
  }

  private keep(question: string, rows: readonly unknown[]): void {
    const characters = question.length + charactersOf(rows);
    if (characters > this.limit) return;
    if (this.characters + characters > this.limit) this.forget();
    this.kept.set(question, rows);
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
