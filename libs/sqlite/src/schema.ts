import { type DatabaseSync, openDatabase } from './driver.js';

/** What a file of a format is made of, or what one was made of by somebody else. */
interface SchemaObject {
  readonly kind: 'table' | 'index' | 'trigger' | 'view';
  readonly name: string;
  /** As it was made, without comments and line ends. */
  readonly sql: string;
}

const EXPECTED = new WeakMap<readonly string[], ReadonlyMap<string, SchemaObject>>();

/**
 * Holds what a file is made of to its migrations. An index or a rule of ours that is gone, or is another one, is made again:
 * it can be. A table that is, and a rule that is not ours, which may keep from being stored what was acknowledged, are told.
 * Tables and indexes beside ours are left alone: they change nothing.
 * @returns what is wrong with it, in words that follow its path; null where nothing is
 * @throws what SQLite raises where an index cannot be made again
 */
export function schemaFault(db: DatabaseSync, migrations: readonly string[]): string | null {
  const expected = expectedOf(migrations);
  const found = schemaOf(db);
  for (const { kind, name, sql } of expected.values()) {
    const there = found.get(name);
    if (there?.kind === kind && there.sql === sql) continue;
    if (kind === 'table' || (there !== undefined && there.kind !== kind))
      return there ? `has ${article(there.kind)} ${name} that MACE did not make` : `has no table ${name}`;
    if (there) db.exec(`DROP ${kind} "${name}"`);
    db.exec(sql);
  }
  const strange = [...found.values()].find(({ kind, name }) => kind === 'trigger' && !expected.has(name));
  return strange ? `has a trigger ${strange.name.slice(0, 60)} that MACE did not make` : null;
}

function expectedOf(migrations: readonly string[]): ReadonlyMap<string, SchemaObject> {
  const known = EXPECTED.get(migrations);
  if (known) return known;
  const db = openDatabase(':memory:');
  try {
    for (const migration of migrations) db.exec(migration);
    const made = schemaOf(db);
    EXPECTED.set(migrations, made);
    return made;
  } finally {
    db.close();
  }
}

/** Reads by a function and no prepared statement, so that closing the connection lets go of the file at once. */
function schemaOf(db: DatabaseSync): ReadonlyMap<string, SchemaObject> {
  const found = new Map<string, SchemaObject>();
  db.function('mace_schema', (kind, name, sql) => {
    const text = String(sql).replace(/--[^\n]*/g, '');
    found.set(String(name), {
      kind: kind as SchemaObject['kind'],
      name: String(name),
      sql: text.replace(/\s+/g, ' ').trim(),
    });
    return null;
  });
  // What SQLite makes by itself has no text.
  db.exec('SELECT mace_schema(type, name, sql) FROM sqlite_schema WHERE sql IS NOT NULL');
  return found;
}

function article(kind: SchemaObject['kind']): string {
  return kind === 'index' ? 'an index' : `a ${kind}`;
}
