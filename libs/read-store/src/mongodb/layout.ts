import type { Collection, Db } from 'mongodb';

import type { CollectionDefinition, Generation, Scalar } from '../port.js';

/** One generation with its checkpoint. */
export interface GenerationRow {
  /** Never used twice, so that what an owner of a dropped generation still writes finds no new one. */
  readonly _id: number;
  readonly projection: string;
  readonly name: string;
  readonly collections: readonly CollectionDefinition[];
  readonly indexed: boolean;
  /** False until all of its collections and indexes are there. */
  readonly ready: boolean;
  readonly position: string;
  readonly epoch: number;
  /** Canonical JSON. */
  readonly runnerState: string | null;
  /** Rises at the begin and at the end of a batch that is written without a transaction. */
  readonly writes: number;
  /** From the begin of such a batch to its end; stays true where it was broken off, until a next one ends. */
  readonly writing: boolean;
}

/**
 * One document. The body is its canonical text: it comes back byte for byte, fields may have any name (`a.b`, `$x`,
 * `__proto__`, the empty one), and a digest hashes what is stored. What may be queried stands beside it.
 */
export interface StoredDocument {
  readonly _id: string;
  /** Absent in a tombstone. */
  readonly body?: string;
  /** Every declared field; absent in a body is null here. */
  readonly fields?: Readonly<Record<string, Scalar>>;
  /** `positionKey` of the batch that wrote it, and that batch's epoch. */
  readonly position: string;
  readonly epoch: number;
  /** A tombstone, which only a store without transactions leaves. */
  readonly gone?: true;
}

export const GENERATIONS = 'read_generations';
export const COUNTERS = 'read_counters';
/** What holds for every document that is not a tombstone. */
export const LIVE_ONLY = { gone: { $ne: true } } as const;

/** One generation as calls use it. */
export interface Target {
  readonly number: number;
  readonly generation: Generation;
  readonly collections: readonly CollectionDefinition[];
}

/** rm.<projection>.<generation>.<number>.<collection>: names hold no dot, and 172 characters are within every limit. */
export function collectionName({ number, generation: { projection, name } }: Target, collection: string): string {
  return `rm.${projection}.${name}.${number}.${collection}`;
}

/** The number of the generation whose collection has this name; null for what is no such name. */
export function numberIn(name: string): number | null {
  const parts = name.split('.');
  return parts.length === 5 && parts[0] === 'rm' && /^[1-9][0-9]*$/.test(parts[3] ?? '') ? Number(parts[3]) : null;
}

export function documentsOf(db: Db, target: Target, collection: string): Collection<StoredDocument> {
  return db.collection<StoredDocument>(collectionName(target, collection));
}

/** Orders as the numbers do, whatever their length. */
export function positionKey(position: string): string {
  const digits = BigInt(position).toString();
  return `${String(digits.length).padStart(2, '0')}${digits}`;
}

export const indexName = (field: string): string => `by_${field}`;
/** With what its documents are sorted by, and the id, because ties are ordered by it. */
export const indexKey = (field: string, { sortedBy = field }: CollectionDefinition): Record<string, 1> => ({
  [`fields.${field}`]: 1,
  [`fields.${sortedBy}`]: 1,
  _id: 1,
});
