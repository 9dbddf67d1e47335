import {
  closeStoreFile,
  type DatabaseSync,
  describeFileError,
  describingFileErrors,
  type FileOwner,
  openStoreFileForReading,
} from '#lib/sqlite';

import { RangePlaces } from '#lib/event-store';

import { keptEdge } from '../kept-tree.js';
import { Frontier } from '../tree/frontier.js';
import {
  leavesOf,
  type LeafRow,
  type ProofAnswer,
  type ProofRequest,
  type StoredCheckpoint,
} from './proof-messages.js';
import { PROOF_LOG } from './proof-schema.js';
import { nodeReader, ProofReader } from './proof-reader.js';

class Fenced extends Error {}

/** What asks and writes nothing. */
type Look = Extract<ProofRequest, { readonly kind: 'kept' | 'places' }>;

/** So many leaves are brought into the index by event at once. */
const INDEX_BATCH = 16_384;
/** Rows of one statement: a run of it costs about as much as the values of one row. */
const ROWS_AT_ONCE = 16;
const INSERT_LEAVES = 'INSERT INTO leaves (leaf, position, event, nodes) VALUES';
const ROW = '(?, ?, ?, ?)';
const COLUMNS = 4;

/**
 * The one writer of the Merkle log. A batch of leaves with the nodes they complete is one transaction, so that whatever
 * ends the process leaves a tree of some size and nothing of the next one.
 */
export class ProofWriter implements FileOwner<ProofRequest, ProofAnswer> {
  private readonly sql: ReturnType<typeof prepareStatements>;
  private readonly epoch: number;
  private frontier: Frontier;

  constructor(
    private readonly db: DatabaseSync,
    private readonly path: string,
  ) {
    // What a power cut takes away is computed again from the events, which are synced before they are followed.
    db.exec('PRAGMA synchronous = NORMAL');
    this.sql = prepareStatements(db);
    this.epoch = this.sql.claim.get()!.epoch;
    this.frontier = this.stored();
    db.exec('BEGIN IMMEDIATE');
    this.index(0);
    db.exec('COMMIT');
  }

  answer(requests: readonly ProofRequest[]): readonly ProofAnswer[] {
    return requests.map((request) => {
      if (request.kind === 'kept' || request.kind === 'places') return this.look(request);
      try {
        return this.inTransaction(() => this.write(request));
      } catch (error) {
        this.undo();
        if (error instanceof Fenced) return { kind: 'fenced', reason: error.message };
        throw describeFileError(this.path, PROOF_LOG.name, error);
      }
    });
  }

  /** The memory in which events came goes back for the next ones. */
  handOver(answers: readonly ProofAnswer[]): readonly ArrayBuffer[] {
    return answers.flatMap((answer) => (answer.kind === 'leaves' ? [answer.room] : []));
  }

  close(): void {
    closeStoreFile(this.db);
  }

  /** By a connection of its own: what the writer's remembers of the file need not be what stands in it. */
  private look(request: Look): ProofAnswer {
    return describingFileErrors(this.path, PROOF_LOG.name, () => {
      const reader = new ProofReader(openStoreFileForReading(this.path, PROOF_LOG));
      const { from, to } = request;
      try {
        if (request.kind === 'places') return { kind: 'places', digest: placesIn(reader, from, to) };
        return { kind: 'kept', edge: keptEdge(reader, from, to, request.edge, request.of) };
      } finally {
        reader.close();
      }
    });
  }

  private write(request: Exclude<ProofRequest, Look>): ProofAnswer {
    switch (request.kind) {
      case 'leaves':
        return this.append(request);
      case 'checkpoint':
        this.keep(request.checkpoint);
        return { kind: 'written' };
      case 'note':
        this.sql.cosign.run(request.note, request.number);
        return { kind: 'written' };
      case 'rows':
        this.mend(request.rows);
        return { kind: 'written' };
      case 'index':
        this.reindex();
        return { kind: 'written' };
      case 'cut':
        this.cut(request.size);
        return { kind: 'written' };
    }
  }

  private append({ from, events }: ProofRequest & { readonly kind: 'leaves' }): ProofAnswer {
    if (from !== this.frontier.size) throw new Fenced(`the log has ${this.frontier.size} leaves, not ${from}`);
    const values: (number | bigint | Buffer)[] = [];
    for (const { hash, event, position } of leavesOf(events)) {
      const leaf = this.frontier.size;
      const completed = this.frontier.add(hash);
      values.push(leaf, position, event, completed.length === 1 ? hash : Buffer.concat(completed));
      if (values.length === ROWS_AT_ONCE * COLUMNS) this.sql.leaves.run(...values.splice(0));
    }
    for (let at = 0; at < values.length; at += COLUMNS) this.sql.leaf.run(...values.slice(at, at + COLUMNS));
    const indexed = this.index(INDEX_BATCH);
    const { size } = this.frontier;
    return { kind: 'leaves', size, root: this.frontier.root().toString('hex'), indexed, room: events.bytes.buffer };
  }

  /** Brings the index by event up to date where at least so many leaves are missing; answers how many it has. */
  private index(missing: number): number {
    const { leaves } = this.sql.indexed.get()!;
    const { size } = this.frontier;
    if (leaves > size) return this.reindex();
    if (size === leaves || size - leaves < missing) return leaves;
    this.sql.index.run(leaves, size);
    this.sql.setIndexed.run(size);
    return size;
  }

  private reindex(): number {
    this.sql.dropIndex.run();
    this.sql.index.run(0, this.frontier.size);
    this.sql.setIndexed.run(this.frontier.size);
    return this.frontier.size;
  }

  private keep({ number, origin, size, position, root, note, made_at, consistency }: StoredCheckpoint): void {
    const proof = Buffer.from(consistency.join(''), 'hex');
    this.sql.checkpoint.run(number, origin, size, Number(position), root, note, made_at, proof);
  }

  /** The right edge stays what it is in memory: the tree grew by it, whatever became of the file. */
  private mend(rows: readonly LeafRow[]): void {
    const { leaves: indexed } = this.sql.indexed.get()!;
    for (const { leaf, position, event, nodes } of rows) {
      this.sql.mend.run(leaf, position, event, nodes);
      if (leaf < indexed) this.sql.indexOne.run(event, leaf);
    }
  }

  private cut(size: number): void {
    if (size >= this.frontier.size) return;
    this.sql.cutIndex.run(size);
    this.sql.cutLeaves.run(size);
    if (this.sql.indexed.get()!.leaves > size) this.sql.setIndexed.run(size);
    this.frontier = this.stored();
  }

  private inTransaction(work: () => ProofAnswer): ProofAnswer {
    this.db.exec('BEGIN IMMEDIATE');
    const { epoch } = this.sql.epoch.get()!;
    if (epoch !== this.epoch) throw new Fenced('another process has taken the log over');
    const answer = work();
    this.db.exec('COMMIT');
    return answer;
  }

  private undo(): void {
    if (this.db.isTransaction) this.db.exec('ROLLBACK');
    this.frontier = this.stored();
  }

  /** The right edge of what is committed. */
  private stored(): Frontier {
    return new Frontier(this.sql.size.get()!.size, nodeReader(this.db));
  }
}

function placesIn(reader: ProofReader, from: number, to: number): string {
  const places = new RangePlaces();
  for (const { position, idPrefix } of reader.placesFrom(from, to - from)) places.add(position, idPrefix);
  return places.digest();
}

function prepareStatements(db: DatabaseSync) {
  return {
    claim: db.prepare<{ epoch: number }>('UPDATE writer SET epoch = epoch + 1 RETURNING epoch'),
    epoch: db.prepare<{ epoch: number }>('SELECT epoch FROM writer'),
    size: db.prepare<{ size: number }>('SELECT coalesce(max(leaf) + 1, 0) AS size FROM leaves'),
    leaf: db.prepare(`${INSERT_LEAVES} ${ROW}`),
    leaves: db.prepare(`${INSERT_LEAVES} ${Array.from({ length: ROWS_AT_ONCE }, () => ROW).join()}`),
    mend: db.prepare('INSERT OR REPLACE INTO leaves (leaf, position, event, nodes) VALUES (?, ?, ?, ?)'),
    indexOne: db.prepare('INSERT OR IGNORE INTO leaves_by_event (event, leaf) VALUES (?, ?)'),
    checkpoint: db.prepare(
      `INSERT INTO checkpoints (number, origin, size, position, root, note, made_at, consistency)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    indexed: db.prepare<{ leaves: number }>('SELECT leaves FROM indexed'),
    index: db.prepare(
      'INSERT INTO leaves_by_event (event, leaf) SELECT event, leaf FROM leaves WHERE leaf >= ? AND leaf < ? ORDER BY event',
    ),
    dropIndex: db.prepare('DELETE FROM leaves_by_event'),
    cutLeaves: db.prepare('DELETE FROM leaves WHERE leaf >= ?'),
    cutIndex: db.prepare(
      'DELETE FROM leaves_by_event WHERE (event, leaf) IN (SELECT event, leaf FROM leaves WHERE leaf >= ?)',
    ),
    setIndexed: db.prepare('UPDATE indexed SET leaves = ?'),
    cosign: db.prepare('UPDATE checkpoints SET note = ? WHERE number = ?'),
  };
}
