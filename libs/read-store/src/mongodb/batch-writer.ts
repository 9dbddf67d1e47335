import type { AnyBulkWriteOperation, ClientSession, MongoBulkWriteError, UpdateFilter } from 'mongodb';

import type { JsonObject } from '#lib/kernel';
import { isCommitUnknown, isDuplicateKey, isTransient, type MongoConnection } from '#lib/mongodb';

import { addedText, mergedText, type CoalescedCollection } from '../coalesce.js';
import type { Checkpoint } from '../port.js';
import { indexedValue } from '../scalars.js';
import type { Catalogue } from './catalogue.js';
import { DocumentTooLargeError } from './failures.js';
import { documentsOf, type GenerationRow, positionKey, type StoredDocument, type Target } from './layout.js';

/** A batch whose changes are folded to one a document. */
export interface CoalescedBatch {
  readonly collections: readonly CoalescedCollection[];
  readonly from: Checkpoint;
  readonly to: string;
  readonly runnerState?: string | null;
}

interface CollectionOperations {
  readonly collection: string;
  readonly operations: AnyBulkWriteOperation<StoredDocument>[];
}

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
/** Below this many UTF-16 units no document can come near: 3 bytes a unit, body and indexed fields both. */
const SURELY_SMALL = MAX_DOCUMENT_BYTES / 8;
const ATTEMPTS = 6;
const MERGED_AT_ONCE = 1000;

/**
 * Writes batches.
 *
 * **With transactions** (a replica set or a sharded cluster): checkpoint, documents and runner state are one transaction,
 * whose first step compares and sets the checkpoint. A claim or another owner's batch in between makes the server break
 * it off; it is begun again and then finds the checkpoint changed. A commit whose answer was lost is asked for again,
 * which the server takes for the same one; where it stays open, `apply` rejects and the checkpoint tells.
 *
 * **Without** (a lone server): begin mark, documents, then the checkpoint by compare-and-set on (position, epoch). Every
 * document carries the position and epoch of the batch that wrote it and is overwritten only by one of the same or a
 * later position and epoch; a deleted one leaves a tombstone with them, which goes with its generation. The windows:
 *
 * 1. *A crash (or a lost answer) between the first document and the checkpoint.* Some documents are of positions after
 *    the checkpoint; readers see them early. The next owner applies the same events again. Batched in the same way,
 *    it writes the same documents. In smaller batches: a document that is ahead of a batch already contains that
 *    batch's changes and is left alone, tombstones included, until a batch reaches it. In larger ones: fields are
 *    replaced by their last value, what is added is added once, and applying a row of changes onto the result of its own
 *    beginning gives the same document. So at the checkpoint that the broken batch would have reached, all documents are right.
 * 2. *A crash between the checkpoint and its answer.* The owner asks again, is told `fenced`, claims, and goes on after.
 * 3. *An owner that was paused inside a batch wakes up after another claimed.* Its writes are refused where the new owner
 *    has written (epoch) or where they are older (position); elsewhere they are what the same events make of the same
 *    document, early at most, as in 1. Its checkpoint is refused.
 * 4. *The same, with a batch that does not move the position* (an event that was parked and is applied late). If the
 *    person in charge discards that event in that very moment, its changes may stay. Only a rebuild removes them.
 *
 * All this rests on the same events giving the same changes, which a projection is. By the begin mark and by documents
 * that are ahead of the checkpoint, a digest sees that a batch is under way or was broken off.
 */
export class BatchWriter {
  constructor(
    private readonly connection: MongoConnection,
    private readonly catalogue: Catalogue,
  ) {}

  /** @throws DocumentTooLargeError before anything was written */
  async apply(target: Target, batch: CoalescedBatch): Promise<'applied' | 'fenced'> {
    // One document, which changes whole or not at all, and costs a third of a transaction.
    if (batch.collections.length === 0) return this.end(target, batch);
    return this.connection.hasTransactions ? this.inTransaction(target, batch) : this.guarded(target, batch);
  }

  private async inTransaction(target: Target, batch: CoalescedBatch): Promise<'applied' | 'fenced'> {
    const until = performance.now() + 2 * this.connection.timeoutMs;
    for (let attempt = 1; ; attempt++) {
      const session = this.connection.session('transaction');
      try {
        session.startTransaction({ readConcern: { level: 'snapshot' }, maxCommitTimeMS: this.connection.timeoutMs });
        const outcome = await this.transact(target, batch, session);
        if (outcome === 'applied') await this.committed(session, until);
        else await this.aborted(session);
        return outcome;
      } catch (error) {
        if (session.inTransaction()) await this.aborted(session);
        if (!isTransient(error) || attempt === ATTEMPTS || performance.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, 2 ** attempt));
      } finally {
        await this.connection.inTime('endSession', session.endSession());
      }
    }
  }

  private async committed(session: ClientSession, until: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.connection.inTime('commitTransaction', session.commitTransaction());
      } catch (error) {
        const again = isCommitUnknown(error) && !isTransient(error) && attempt < ATTEMPTS;
        if (!again || performance.now() > until) throw error;
      }
    }
  }

  private aborted(session: ClientSession): Promise<void> {
    return this.connection.inTime('abortTransaction', session.abortTransaction());
  }

  private async transact(target: Target, batch: CoalescedBatch, session: ClientSession) {
    const { matchedCount } = await this.catalogue.rows.updateOne(isAt(target, batch.from), ended(batch), { session });
    if (matchedCount === 0) return 'fenced';
    for (const { collection, operations } of await this.operations(target, batch, session)) {
      await documentsOf(this.connection.db, target, collection).bulkWrite(operations, { session, ordered: true });
    }
    return 'applied';
  }

  private async guarded(target: Target, batch: CoalescedBatch): Promise<'applied' | 'fenced'> {
    // Before the begin mark, so that what cannot be written leaves none.
    const all = await this.operations(target, batch);
    const { rows } = this.catalogue;
    const begun = { $inc: { writes: 1 }, $set: { writing: true } };
    if ((await rows.updateOne(isAt(target, batch.from), begun)).matchedCount === 0) return 'fenced';
    for (const { collection, operations } of all) {
      // Each document occurs once, so their order is of no matter; an ordered write would end at the first newer one.
      await unlessNewer(documentsOf(this.connection.db, target, collection).bulkWrite(operations, { ordered: false }));
    }
    return this.end(target, batch);
  }

  private async end(target: Target, batch: CoalescedBatch): Promise<'applied' | 'fenced'> {
    const { matchedCount } = await this.catalogue.rows.updateOne(isAt(target, batch.from), ended(batch));
    return matchedCount === 0 ? 'fenced' : 'applied';
  }

  private async operations(
    target: Target,
    batch: CoalescedBatch,
    session?: ClientSession,
  ): Promise<CollectionOperations[]> {
    const all: CollectionOperations[] = [];
    for (const collection of batch.collections) {
      const operations = await this.operationsOn(target, batch, collection, session);
      if (operations.length > 0) all.push({ collection: collection.collection, operations });
    }
    return all;
  }

  private async operationsOn(
    target: Target,
    { from: { epoch }, to }: CoalescedBatch,
    { collection, puts, merges, adds, deletes }: CoalescedCollection,
    session?: ClientSession,
  ): Promise<AnyBulkWriteOperation<StoredDocument>[]> {
    const indexes = target.collections.find(({ name }) => name === collection)?.indexes ?? [];
    const mark = { position: positionKey(to), epoch };
    const guard = session ? {} : { position: { $lte: mark.position }, epoch: { $lte: epoch } };
    const replaced = (id: string, text: string): AnyBulkWriteOperation<StoredDocument> => {
      const replacement = { body: text, fields: fieldsOf(text, indexes), ...mark };
      return { replaceOne: { filter: { _id: id, ...guard }, replacement, upsert: true } };
    };
    const operations: AnyBulkWriteOperation<StoredDocument>[] = [];
    const add = async (id: string, text: string): Promise<void> => {
      if (text.length >= SURELY_SMALL) await checkSize(collection, id, text, indexes);
      operations.push(replaced(id, text));
    };
    for (const [id, text] of pairs(puts)) await add(id, text);
    const merged = (body: string | undefined, fields: string): string =>
      body === undefined ? fields : mergedText(body, fields);
    const added = (body: string | undefined, more: string): string => addedText(body ?? null, more);
    const wanted = [
      ...pairs(merges).map((pair) => [...pair, merged] as const),
      ...pairs(adds).map((pair) => [...pair, added] as const),
    ];
    for (let i = 0; i < wanted.length; i += MERGED_AT_ONCE) {
      const some = wanted.slice(i, i + MERGED_AT_ONCE);
      const stored = await this.stored(target, collection, some, session);
      for (const [id, change, apply] of some) await add(id, apply(stored.get(id)?.body, change));
    }
    for (const id of deletes) {
      if (session) operations.push({ deleteOne: { filter: { _id: id } } });
      else {
        const replacement = { gone: true as const, ...mark };
        operations.push({ replaceOne: { filter: { _id: id, ...guard }, replacement, upsert: true } });
      }
    }
    return operations;
  }

  private async stored(
    target: Target,
    collection: string,
    some: readonly (readonly [string, ...unknown[]])[],
    session?: ClientSession,
  ): Promise<ReadonlyMap<string, StoredDocument>> {
    const filter = { _id: { $in: some.map(([id]) => id) } };
    const options = { batchSize: MERGED_AT_ONCE, ...(session && { session }) };
    const found = await documentsOf(this.connection.db, target, collection).find(filter, options).toArray();
    return new Map(found.map((document) => [document._id, document]));
  }
}

const isAt = ({ number }: Target, { position, epoch }: Checkpoint) => ({ _id: number, position, epoch });

function ended({ to, runnerState }: CoalescedBatch): UpdateFilter<GenerationRow> {
  return {
    $set: { position: to, writing: false, ...(runnerState === undefined ? {} : { runnerState }) },
    $inc: { writes: 1 },
  };
}

/** A document that the guard leaves out is found again by its id when the upsert would insert it: it is newer. */
async function unlessNewer(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    const { writeErrors, result } = error as Partial<MongoBulkWriteError>;
    const faults = writeErrors === undefined ? [] : [writeErrors].flat();
    const onlyNewer = faults.length > 0 && faults.every(isDuplicateKey);
    if (!onlyNewer || result?.getWriteConcernError() !== undefined) throw error;
  }
}

function fieldsOf(text: string, indexes: readonly string[]): StoredDocument['fields'] & object {
  if (indexes.length === 0) return {};
  const body = JSON.parse(text) as JsonObject;
  return Object.fromEntries(indexes.map((field) => [field, indexedValue(body, field)]));
}

async function checkSize(collection: string, id: string, text: string, indexes: readonly string[]): Promise<void> {
  const { BSON } = await import('mongodb');
  const mark = { position: '00'.padEnd(64), epoch: Number.MAX_SAFE_INTEGER };
  const bytes = BSON.calculateObjectSize({ _id: id, body: text, fields: fieldsOf(text, indexes), ...mark });
  if (bytes > MAX_DOCUMENT_BYTES) throw new DocumentTooLargeError(collection, id, bytes);
}

function pairs(flat: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: flat.length >> 1 }, (_, i) => [flat[2 * i] ?? '', flat[2 * i + 1] ?? ''] as const);
}
