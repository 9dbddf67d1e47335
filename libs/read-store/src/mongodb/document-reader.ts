import { setImmediate as nextTurn } from 'node:timers/promises';

import type { ClientSession } from 'mongodb';

import type { JsonObject } from '#lib/kernel';
import { isSnapshotGone, type MongoConnection } from '#lib/mongodb';

import { writeCursor } from '../cursor.js';
import { isDocumentId, definitionOf, unknownGeneration } from '../definitions.js';
import { DigestBuilder } from '../digest.js';
import { ReadStoreUnavailableError } from '../errors.js';
import type { Document, FindOptions, FoundPage, GenerationDigest } from '../port.js';
import { checkedQuery } from '../query.js';
import { indexedValue } from '../scalars.js';
import type { Catalogue } from './catalogue.js';
import { findCommand } from './find-filter.js';
import { documentsOf, type GenerationRow, LIVE_ONLY, positionKey, type StoredDocument, type Target } from './layout.js';

/** Documents that come from the server at once. */
const READ_AT_ONCE = 1000;
/** So many documents of a digest are hashed before others have a turn: those that came together come without one. */
const HASHED_AT_ONCE = 100;
const DIGEST_ATTEMPTS = 20;
const DIGEST_PAUSE_MS = 50;

/** Everything that is asked of documents. */
export class DocumentReader {
  constructor(
    private readonly connection: MongoConnection,
    private readonly catalogue: Catalogue,
  ) {}

  async get(target: Target, name: string, id: string): Promise<Document | null> {
    definitionOf(target.collections, target.generation, name);
    // No such document can be; a lone surrogate would be sent as another character.
    if (!isDocumentId(id)) return null;
    const { timeoutMs: maxTimeMS } = this.connection;
    const found = await this.documents(target, name).findOne({ _id: id }, { projection: { body: 1 }, maxTimeMS });
    return found?.body === undefined ? null : { id, body: JSON.parse(found.body) as JsonObject };
  }

  async find(target: Target, name: string, options: FindOptions): Promise<FoundPage> {
    const query = checkedQuery(definitionOf(target.collections, target.generation, name), options);
    const { filter, sort } = findCommand(query);
    const found = await this.documents(target, name)
      .find(filter, {
        projection: { body: 1 },
        // One more than the limit: whether it comes tells whether there is a next page.
        limit: query.limit + 1,
        // Where there is no index, the server may need more room than it sorts in by itself.
        allowDiskUse: true,
        maxTimeMS: this.connection.timeoutMs,
      })
      .sort(sort)
      .toArray();
    const documents = found.slice(0, query.limit).map(asDocument);
    const last = documents.at(-1);
    if (found.length <= query.limit || !last) return { documents, next: null };
    return { documents, next: writeCursor(query.sort, indexedValue(last.body, query.sort.field), last.id) };
  }

  async count(target: Target, name: string): Promise<number> {
    definitionOf(target.collections, target.generation, name);
    return this.documents(target, name).countDocuments(LIVE_ONLY);
  }

  /**
   * Documents and checkpoint of one moment, a few documents in memory at a time. With transactions all is read at one
   * snapshot of the server, which it holds for five minutes. Without, it is read as it comes, and again where the
   * checkpoint has moved or a batch is under way; the caller keeps this process's own batches away meanwhile.
   * @throws ReadStoreUnavailableError where others keep writing, or a batch was broken off and not yet applied again
   */
  async digest(target: Target): Promise<GenerationDigest> {
    for (let attempt = 1; attempt <= DIGEST_ATTEMPTS; attempt++) {
      const digest = await (this.connection.hasTransactions ? this.atSnapshot(target) : this.betweenBatches(target));
      if (digest) return digest;
      await new Promise((resolve) => setTimeout(resolve, DIGEST_PAUSE_MS));
    }
    throw new ReadStoreUnavailableError(
      'no digest: batches are written all the time, or one was broken off and not applied again yet',
    );
  }

  private async atSnapshot(target: Target): Promise<GenerationDigest | null> {
    const session = this.connection.session('snapshot');
    try {
      return (await this.read(target, session)).digest;
    } catch (error) {
      // What was made a moment ago is in no snapshot yet.
      if (isSnapshotGone(error)) return null;
      throw error;
    } finally {
      await this.connection.inTime('endSession', session.endSession());
    }
  }

  private async betweenBatches(target: Target): Promise<GenerationDigest | null> {
    const { digest, row, isAhead } = await this.read(target);
    const after = await this.row(target);
    const isQuiet = !row.writing && !after.writing && row.writes === after.writes;
    return isQuiet && !isAhead ? digest : null;
  }

  private async read(
    target: Target,
    session?: ClientSession,
  ): Promise<{ readonly digest: GenerationDigest; readonly row: GenerationRow; readonly isAhead: boolean }> {
    const row = await this.row(target, session);
    const last = positionKey(row.position);
    let isAhead = false;
    let read = 0;
    const builder = new DigestBuilder();
    for (const { name } of target.collections) {
      builder.collection(name);
      const options = {
        projection: { body: 1, position: 1 },
        batchSize: READ_AT_ONCE,
        ...(session && atMomentOf(session)),
      };
      const all = this.documents(target, name).find({}, options).sort({ _id: 1 });
      for await (const { _id, body, position } of all) {
        if (position > last) isAhead = true;
        if (body !== undefined) builder.document(_id, body);
        if (++read % HASHED_AT_ONCE === 0) await nextTurn();
      }
    }
    const digest = { digest: builder.hex(), position: row.position, documents: builder.documents };
    return { digest, row, isAhead };
  }

  private async row({ number, generation }: Target, session?: ClientSession): Promise<GenerationRow> {
    const row = await this.catalogue.rows.findOne({ _id: number }, session && atMomentOf(session));
    if (!row) throw unknownGeneration(generation);
    return row;
  }

  private documents(target: Target, name: string) {
    return documentsOf(this.connection.db, target, name);
  }
}

/** The level is said at each read: the driver leaves the client's own in place even in a snapshot session. */
function atMomentOf(session: ClientSession) {
  return { session, readConcern: { level: 'snapshot' as const } };
}

function asDocument({ _id: id, body = '{}' }: StoredDocument): Document {
  return { id, body: JSON.parse(body) as JsonObject };
}
