import type { JsonObject } from '#lib/kernel';
import { type DatabaseSync, eachRow } from '#lib/sqlite';
import { writeCursor } from '../cursor.js';
import { keyOf, definitionOf, unknownGeneration } from '../definitions.js';
import { DigestBuilder } from '../digest.js';
import type {
  Checkpoint,
  CollectionDefinition,
  Document,
  FindOptions,
  FoundPage,
  Generation,
  GenerationDigest,
} from '../port.js';
import { checkedQuery, type Query } from '../query.js';
import { indexedValue } from '../scalars.js';
import { asDefinition } from './document-writer.js';
import { findStatement } from './find-statement.js';
import { keptObject, KeptJsonError } from './kept-json.js';
import { KeptRows, MAX_KEPT } from './kept-rows.js';
import { OnceATurn } from './once-a-turn.js';
import { Statements } from './statements.js';
import {
  APART,
  SELECT_COLLECTIONS,
  SELECT_GENERATION,
  tableOf,
  type CollectionRow,
  type GenerationRow,
  type Place,
} from './tables.js';

/** Beside read.db, and nowhere else. */
const FILE_APART = /^read-[^/\\]+\.db$/;

interface StoredDocument {
  readonly id: string;
  readonly body: string;
}

interface Collection extends CollectionDefinition {
  readonly id: number;
}

interface FoundGeneration extends Checkpoint {
  readonly id: number;
  readonly runnerState: JsonObject | null;
}

/**
 * Everything that is asked of read.db, on a connection that only reads. Each call sees what was committed before its turn
 * of the event loop began, and before `wrote`: whether rows that are kept still hold is asked once for all that a turn
 * reads, since what could tell a caller of a later commit comes in a later turn, or is this process's own writing.
 */
export class DocumentReader {
  private readonly statements: Statements;
  private readonly rows: KeptRows;
  private readonly changes = new OnceATurn();
  /** By generation; what is missing is looked up again, what is here is dropped by `forget`. */
  private readonly collections = new Map<string, readonly Collection[]>();

  constructor(private readonly db: DatabaseSync) {
    this.statements = new Statements(db);
    this.rows = new KeptRows(this.statements, MAX_KEPT, () => this.changes.isDue());
  }

  /** What this process wrote is committed; every later call sees it. */
  wrote(): void {
    this.changes.again();
  }

  /** After a generation was made or dropped. */
  forget(generation: Generation): void {
    this.collections.delete(keyOf(generation));
  }

  /**
   * Reads what is kept of every generation, and the first and the last document of every collection and of each of its
   * indexes: damage is found at the start where it lies near the roots; a whole check would take longer than making the
   * read models again.
   */
  probe(): void {
    for (const generation of this.generations()) this.row(generation);
    for (const row of this.statements.get<CollectionRow>('SELECT id, name, indexes FROM collections').all()) {
      const columns = ['id', ...asDefinition(row).indexes.map((_, i) => `f_${i}`)];
      for (const column of columns) {
        for (const direction of ['ASC', 'DESC']) {
          // Not kept: each is used once.
          this.db.prepare(`SELECT id, body FROM ${tableOf(row.id)} ORDER BY ${column} ${direction} LIMIT 1`).get();
        }
      }
    }
  }

  checkpoint(generation: Generation): Checkpoint | null {
    const row = this.row(generation);
    return row ? { position: row.position, epoch: row.epoch } : null;
  }

  runnerState(generation: Generation): JsonObject | null {
    return this.row(generation)?.runnerState ?? null;
  }

  generations(projection?: string): readonly Generation[] {
    const rows = this.statements
      .get<{ projection: string; name: string }>(
        'SELECT projection, name FROM generations WHERE projection = coalesce(?, projection) ORDER BY id',
      )
      .all(projection ?? null);
    return rows.map(({ projection: owner, name }) => ({ projection: owner, name }));
  }

  /** Of generations that are kept in files of their own. */
  places(): readonly (readonly [Generation, Place])[] {
    const rows = this.statements
      .get<{ projection: string; name: string; runner_state: string }>(
        `SELECT projection, name, runner_state FROM generations WHERE epoch = ${APART}`,
      )
      .all();
    return rows.map(({ projection, name, runner_state }) => [{ projection, name }, placeIn(runner_state)]);
  }

  /** @throws ReadStoreDefinitionError for a generation that is not there */
  definitions(generation: Generation): readonly CollectionDefinition[] {
    return this.collectionsOf(generation);
  }

  get(generation: Generation, name: string, id: string): Document | null {
    // Longer, empty or with NUL: no such document can be, and the driver would cut it at the NUL.
    if (id.includes('\0')) return null;
    const sql = `SELECT body FROM ${tableOf(this.collection(generation, name).id)} WHERE id = ?`;
    const row = this.statements.get<StoredDocument>(sql).get(id);
    return row ? { id, body: keptObject(row.body) } : null;
  }

  find(generation: Generation, name: string, options: FindOptions): FoundPage {
    const collection = this.collection(generation, name);
    const query = checkedQuery(collection, options);
    const { sql, parameters } = findStatement(collection.id, collection.indexes, query);
    return this.rows.made(sql, parameters, (rows: readonly StoredDocument[]) => pageOf(rows, query));
  }

  count(generation: Generation, name: string): number {
    const sql = `SELECT count(*) AS count FROM ${tableOf(this.collection(generation, name).id)}`;
    return this.statements.get<{ count: number }>(sql).get()?.count ?? 0;
  }

  /** In one read transaction, so that checkpoint and documents are of one moment; a document at a time. */
  digest(generation: Generation): GenerationDigest {
    this.statements.get('BEGIN').run();
    try {
      const checkpoint = this.checkpoint(generation);
      if (!checkpoint) throw unknownGeneration(generation);
      const builder = new DigestBuilder();
      for (const { id: tableId, name } of this.collectionsOf(generation)) {
        builder.collection(name);
        const all = this.statements.get<[string, string]>(
          `SELECT id, body FROM ${tableOf(tableId)} ORDER BY id`,
          'arrays',
        );
        for (const [id, body] of eachRow(all)) builder.document(id, body);
      }
      return { digest: builder.hex(), position: checkpoint.position, documents: builder.documents };
    } finally {
      this.statements.get('COMMIT').run();
    }
  }

  close(): void {
    this.db.close();
  }

  private row({ projection, name }: Generation): FoundGeneration | undefined {
    return this.rows.made(SELECT_GENERATION, [projection, name], ([row]: readonly GenerationRow[]) => {
      if (!row) return undefined;
      const { id, position, epoch, runner_state: text } = row;
      return { id, position, epoch, runnerState: text === null ? null : keptObject(text) };
    });
  }

  private collection(generation: Generation, name: string): Collection {
    return definitionOf(this.collectionsOf(generation), generation, name);
  }

  private collectionsOf(generation: Generation): readonly Collection[] {
    const key = keyOf(generation);
    let collections = this.collections.get(key);
    if (!collections) {
      const row = this.row(generation);
      if (!row) throw unknownGeneration(generation);
      const rows = this.statements.get<CollectionRow>(SELECT_COLLECTIONS).all(row.id);
      collections = rows.map((found) => ({ id: found.id, ...asDefinition(found) }));
      this.collections.set(key, collections);
    }
    return collections;
  }
}

function placeIn(text: string): Place {
  const { file, boot } = keptObject(text);
  if (typeof file === 'string' && FILE_APART.test(file) && (boot === null || typeof boot === 'string'))
    return { file, boot };
  throw new KeptJsonError('a generation in it is kept in no file of read models');
}

function pageOf(rows: readonly StoredDocument[], { limit, sort }: Query): FoundPage {
  const documents = rows.slice(0, limit).map(({ id, body }) => ({ id, body: keptObject(body) }));
  const last = documents.at(-1);
  if (rows.length <= limit || !last) return { documents, next: null };
  return { documents, next: writeCursor(sort, indexedValue(last.body, sort.field), last.id) };
}
