import type { DatabaseSync } from '#lib/sqlite';
import { addedText, mergedText, type CoalescedCollection } from '../coalesce.js';
import { checkSameDefinitions, keyOf, unknownGeneration } from '../definitions.js';
import type { Checkpoint, CollectionDefinition, Generation } from '../port.js';
import { keptTexts } from './kept-json.js';
import { Statements } from './statements.js';
import {
  createTable,
  SELECT_COLLECTIONS,
  APART,
  SELECT_GENERATION,
  tableOf,
  type CollectionRow,
  type GenerationRow,
  type Place,
} from './tables.js';

/** A batch as it crosses to the thread that writes: names, texts, numbers. */
export interface PreparedBatch {
  readonly collections: readonly CoalescedCollection[];
  readonly from: Checkpoint;
  readonly to: string;
  readonly runnerState?: string | null;
}

interface Target {
  readonly id: number;
  /** Numbers of the collections' tables by name. */
  readonly tables: ReadonlyMap<string, number>;
}

/** Everything that changes read.db; the one user of its writing connection. */
export class DocumentWriter {
  private readonly statements: Statements;
  private readonly targets = new Map<string, Target>();

  constructor(private readonly db: DatabaseSync) {
    this.statements = new Statements(db);
  }

  /** Definitions in normal form. */
  prepare(generation: Generation, definitions: readonly CollectionDefinition[], indexed: boolean): void {
    this.inTransaction(() => {
      const found = this.row(generation);
      if (found) {
        const rows = this.statements.get<CollectionRow>(SELECT_COLLECTIONS).all(found.id);
        checkSameDefinitions(generation, rows.map(asDefinition), definitions);
        return;
      }
      const { lastInsertRowid } = this.statements
        .get('INSERT INTO generations (projection, name) VALUES (?, ?)')
        .run(generation.projection, generation.name);
      for (const definition of definitions) this.create(Number(lastInsertRowid), definition, indexed);
    });
  }

  claim(generation: Generation): Checkpoint {
    const row = this.statements
      .get<GenerationRow>(
        'UPDATE generations SET epoch = epoch + 1 WHERE projection = ? AND name = ? RETURNING id, position, epoch, runner_state',
      )
      .get(generation.projection, generation.name);
    if (!row) throw unknownGeneration(generation);
    return { position: row.position, epoch: row.epoch };
  }

  /**
   * Documents and checkpoint in one transaction. The checkpoint comes first, so that an owner who is one no more is
   * turned away before it has cost a write.
   */
  apply(generation: Generation, batch: PreparedBatch): 'applied' | 'fenced' {
    const target = this.target(generation);
    let outcome: 'applied' | 'fenced' = 'fenced';
    this.inTransaction(() => {
      if (!this.advance(target.id, batch)) return;
      for (const collection of batch.collections) this.write(target.tables.get(collection.collection), collection);
      outcome = 'applied';
    });
    return outcome;
  }

  /** Notes that a generation is kept in a file of its own. */
  place({ projection, name }: Generation, place: Place): void {
    this.statements
      .get(
        `INSERT INTO generations (projection, name, epoch, runner_state) VALUES (?, ?, ${APART}, ?)
         ON CONFLICT (projection, name) DO UPDATE SET runner_state = excluded.runner_state`,
      )
      .run(projection, name, JSON.stringify(place));
  }

  drop(generation: Generation): void {
    this.targets.delete(keyOf(generation));
    this.inTransaction(() => {
      const row = this.row(generation);
      if (!row) return;
      for (const { id } of this.statements.get<CollectionRow>(SELECT_COLLECTIONS).all(row.id))
        this.db.exec(`DROP TABLE ${tableOf(id)}`);
      this.statements.get('DELETE FROM collections WHERE generation = ?').run(row.id);
      this.statements.get('DELETE FROM generations WHERE id = ?').run(row.id);
    });
  }

  private advance(id: number, { from, to, runnerState }: PreparedBatch): boolean {
    const compared = 'WHERE id = ? AND position = ? AND epoch = ?';
    const { changes } =
      runnerState === undefined
        ? this.statements.get(`UPDATE generations SET position = ? ${compared}`).run(to, id, from.position, from.epoch)
        : this.statements
            .get(`UPDATE generations SET position = ?, runner_state = ? ${compared}`)
            .run(to, runnerState, id, from.position, from.epoch);
    return Number(changes) === 1;
  }

  private write(tableId: number | undefined, { collection, puts, merges, adds, deletes }: CoalescedCollection): void {
    if (tableId === undefined) throw new Error(`no table for collection ${collection}, though its batch was checked`);
    const table = tableOf(tableId);
    if (deletes.length > 0) {
      const remove = this.statements.get(`DELETE FROM ${table} WHERE id = ?`);
      for (const id of deletes) remove.run(id);
    }
    if (puts.length + merges.length + adds.length === 0) return;
    const put = this.statements.get(
      `INSERT INTO ${table} (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body`,
    );
    for (let i = 0; i + 1 < puts.length; i += 2) put.run(puts[i] ?? null, puts[i + 1] ?? null);
    if (merges.length + adds.length === 0) return;
    const read = this.statements.get<{ body: string }>(`SELECT body FROM ${table} WHERE id = ?`);
    for (let i = 0; i + 1 < merges.length; i += 2) {
      const [id = '', fields = ''] = [merges[i], merges[i + 1]];
      const stored = read.get(id);
      put.run(id, stored ? mergedText(stored.body, fields) : fields);
    }
    for (let i = 0; i + 1 < adds.length; i += 2) {
      const [id = '', more = ''] = [adds[i], adds[i + 1]];
      put.run(id, addedText(read.get(id)?.body ?? null, more));
    }
  }

  private create(generationId: number, definition: CollectionDefinition, indexed: boolean): void {
    const { lastInsertRowid } = this.statements
      .get('INSERT INTO collections (generation, name, indexes) VALUES (?, ?, ?)')
      .run(generationId, definition.name, JSON.stringify(definition.indexes));
    for (const sql of createTable(Number(lastInsertRowid), definition, indexed)) this.db.exec(sql);
  }

  private target(generation: Generation): Target {
    const key = keyOf(generation);
    let target = this.targets.get(key);
    if (!target) {
      const row = this.row(generation);
      if (!row) throw unknownGeneration(generation);
      const rows = this.statements.get<CollectionRow>(SELECT_COLLECTIONS).all(row.id);
      target = { id: row.id, tables: new Map(rows.map(({ id, name }) => [name, id])) };
      this.targets.set(key, target);
    }
    return target;
  }

  private row({ projection, name }: Generation): GenerationRow | undefined {
    return this.statements.get<GenerationRow>(SELECT_GENERATION).get(projection, name);
  }

  private inTransaction(work: () => void): void {
    this.statements.get('BEGIN IMMEDIATE').run();
    try {
      work();
      this.statements.get('COMMIT').run();
    } catch (error) {
      // A full disk has rolled back already.
      if (this.db.isTransaction) this.statements.get('ROLLBACK').run();
      throw error;
    }
  }
}

export function asDefinition({ name, indexes }: CollectionRow): CollectionDefinition {
  return { name, indexes: keptTexts(indexes) };
}
