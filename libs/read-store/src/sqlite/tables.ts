import type { StoreFileFormat } from '#lib/sqlite';
import type { CollectionDefinition } from '../port.js';

export const FILE_NAME = 'read.db';

/**
 * `generations` holds the checkpoint beside the documents, so that both change in one transaction. The documents of a
 * (generation, collection) are in a table of their own, named by the collection's number: no name of a caller is ever
 * part of a statement. Numbers are not used twice (AUTOINCREMENT), so a statement kept for a dropped table fails
 * instead of finding another's.
 */
export const READ_STORE_FORMAT: StoreFileFormat = {
  name: 'the read models',
  migrations: [
    `CREATE TABLE generations (
       id INTEGER PRIMARY KEY AUTOINCREMENT,
       projection TEXT NOT NULL,
       name TEXT NOT NULL,
       position TEXT NOT NULL DEFAULT '0',
       epoch INTEGER NOT NULL DEFAULT 0,
       runner_state TEXT,
       UNIQUE (projection, name)
     ) STRICT;
     CREATE TABLE collections (
       id INTEGER PRIMARY KEY AUTOINCREMENT,
       generation INTEGER NOT NULL REFERENCES generations (id),
       name TEXT NOT NULL,
       indexes TEXT NOT NULL,
       UNIQUE (generation, name)
     ) STRICT`,
  ],
};

export const SELECT_GENERATION =
  'SELECT id, position, epoch, runner_state FROM generations WHERE projection = ? AND name = ?';
export const SELECT_COLLECTIONS = 'SELECT id, name, indexes FROM collections WHERE generation = ? ORDER BY name';

/**
 * Where a generation is kept that is not in this file. Such a generation's row has no collections, APART as its epoch
 * and its place as its state: what is in no row of read.db is no generation, and its file is nobody's.
 */
export interface Place {
  /** Name of the file, beside read.db. */
  readonly file: string;
  /** Null once it is lasting; before that the run of the machine that it was begun in and does not outlive. */
  readonly boot: string | null;
}

export const APART = -1;

export interface GenerationRow {
  readonly id: number;
  readonly position: string;
  readonly epoch: number;
  readonly runner_state: string | null;
}

export interface CollectionRow {
  readonly id: number;
  readonly name: string;
  /** JSON array of the declared fields, in order; the i-th is column f_i. */
  readonly indexes: string;
}

export function tableOf(collectionId: number): string {
  return `docs_${collectionId}`;
}

/**
 * Statements that make a collection's table. Indexes carry what their rows are sorted by, and the id, because ties are
 * ordered by it. A table with rowids takes bulk writes about twice as fast as one without: bodies are appended, and only
 * ids are sorted in.
 */
export function createTable(
  collectionId: number,
  { indexes, sortedBy = '' }: CollectionDefinition,
  indexed: boolean,
): string[] {
  const table = tableOf(collectionId);
  const columns = indexes.map((field, i) => `, f_${i} GENERATED ALWAYS AS (${indexExpression(field)}) VIRTUAL`);
  return [
    `CREATE TABLE ${table} (id TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL${columns.join('')})`,
    ...(indexed ? indexes : []).map((field, i) => {
      const order = field === sortedBy || sortedBy === '' ? '' : `f_${indexes.indexOf(sortedBy)}, `;
      return `CREATE INDEX ${table}_${i} ON ${table} (f_${i}, ${order}id)`;
    }),
  ];
}

/**
 * The port's order in SQLite's: numbers before texts before blobs. Null and absent become minus infinity, below every
 * number of JSON, so that a keyset comparison never meets NULL; false and true become blobs, because SQLite's JSON would
 * make them 0 and 1. `field` was checked to be a plain identifier.
 */
function indexExpression(field: string): string {
  const path = `'$.${field}'`;
  return `coalesce(CASE json_type(body, ${path}) WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE json_extract(body, ${path}) END, -9e999)`;
}
