import type { DatabaseSync, Row, Statement } from '#lib/sqlite';

/** Far above what one program's queries need; only a bound. */
const MAX_KEPT = 500;

/** Prepared statements by their text: preparing costs more than most of ours take to run, and leaks in a tight loop. */
export class Statements {
  private readonly kept = new Map<string, Statement<never>>();

  constructor(private readonly db: DatabaseSync) {}

  /** The type parameter is the caller's word for the shape of the rows; an array's members are the columns. */
  get<R = Row>(sql: string, rows: 'objects' | 'arrays' = 'objects'): Statement<R> {
    let statement = this.kept.get(sql);
    if (!statement) {
      if (this.kept.size >= MAX_KEPT) this.kept.clear();
      statement = this.db.prepare<never>(sql);
      if (rows === 'arrays') statement.setReturnArrays(true);
      this.kept.set(sql, statement);
    }
    return statement as Statement<unknown> as Statement<R>;
  }
}
