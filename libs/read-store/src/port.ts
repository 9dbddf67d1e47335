import type { JsonObject } from '#lib/kernel';

/**
 * The read store port: collections of documents with declared indexes, written by one owner a projection together with
 * its checkpoint.
 *
 * Order of values, in every sort and range: null and absent, then numbers, then strings by Unicode code point, then
 * false, true. Ids are ordered by code point. An indexed field holds such a value and never an object or an array; so a
 * personal field, stored as an object, cannot be indexed by mistake.
 */

export interface CollectionDefinition {
  /** [a-z][a-z0-9_]*, at most 40. */
  readonly name: string;
  /** Top-level fields that `find` may filter or sort by, besides the id: [A-Za-z][A-Za-z0-9_]*, at most 16 of them. */
  readonly indexes: readonly string[];
  /**
   * One of the indexes, by which what another index finds is in order already: a page of either costs what it holds,
   * however many documents have that value. By id where absent.
   */
  readonly sortedBy?: string;
}

export interface Document {
  readonly id: string;
  readonly body: JsonObject;
}

/** What a projection says of one event; applied in order. An id is 1 to 1024 UTF-16 units without NUL. */
export type Change =
  | { readonly op: 'put'; readonly collection: string; readonly id: string; readonly body: JsonObject }
  /** Top-level fields replaced in an existing document, or in an empty one that is then made. */
  | { readonly op: 'merge'; readonly collection: string; readonly id: string; readonly fields: JsonObject }
  /**
   * Adds whole numbers to top-level fields, and makes what is missing, of 0: once for each `at`. The document says in
   * `position` the last `at` that it contains, and one that is not above it changes nothing, so a projection whose events
   * are of one partition may write it. Nothing else may change such a document.
   */
  | {
      readonly op: 'add';
      readonly collection: string;
      readonly id: string;
      /** Position of the event. */
      readonly at: number;
      readonly fields: Readonly<Record<string, number>>;
    }
  | { readonly op: 'delete'; readonly collection: string; readonly id: string };

export type Scalar = string | number | boolean | null;

/** A prefix or range holds values of its own type only: `from: 5` finds no string. `%` and `_` mean themselves. */
export type Condition =
  | { readonly field: string; readonly equals: Scalar }
  | { readonly field: string; readonly prefix: string }
  /** `from` is inclusive, `below` exclusive; both of one type, null excluded. */
  | { readonly field: string; readonly from?: Exclude<Scalar, null>; readonly below?: Exclude<Scalar, null> };

export interface PrepareOptions {
  /** False for a generation that is written in bulk and never queried: `find` then looks at every document. */
  readonly indexed?: boolean;
  /**
   * True for one that is made and that nobody is answered from yet: the store may keep it where writing it holds nobody
   * up. It outlives its process, but a crash of the machine may leave it empty, its checkpoint at the start. Prepared
   * again without this it is as lasting as any other. Without meaning for a generation that is there.
   */
  readonly inTheMaking?: boolean;
}

export interface FindOptions {
  /** All must hold. `id` names the document's id; every other field must be a declared index. */
  readonly where?: readonly Condition[];
  /** Ties are ordered by id in the same direction. Default: by id, ascending. */
  readonly sort?: { readonly field: string; readonly descending?: boolean };
  /** 1 to 1000. */
  readonly limit: number;
  /** What a page before gave as `next`, for the same sort. */
  readonly cursor?: string;
}

export interface FoundPage {
  readonly documents: readonly Document[];
  readonly next: string | null;
}

/** One physical set of a projection's collections: the live one, one being rebuilt, or a scratch place. */
export interface Generation {
  /** [a-z][a-z0-9_-]*, at most 60. */
  readonly projection: string;
  /** [a-z0-9_]+, at most 40. */
  readonly name: string;
}

export interface Checkpoint {
  /** Decimal position up to which every event is contained. */
  readonly position: string;
  /** Rises with each new owner; an older owner's writes are refused. */
  readonly epoch: number;
}

export interface Batch {
  readonly changes: readonly Change[];
  /** The checkpoint this batch starts from, compared before anything is written. */
  readonly from: Checkpoint;
  /** The position it leads to. */
  readonly to: string;
  /** A small document of the owner's (why it halted, what it parked), replaced in the same step; null removes it. */
  readonly runnerState?: JsonObject | null;
}

/** All of it as of one moment, also while others write. */
export interface GenerationDigest {
  /** SHA-256 hex over every document: collections by name, documents by id, canonical bodies. */
  readonly digest: string;
  /** The checkpoint's position at that moment: what the documents contain. */
  readonly position: string;
  readonly documents: number;
}

/**
 * Rejections: `InvalidChangeError` and `ReadStoreDefinitionError` for faults of the caller's program, `MaceError`
 * INVALID_INPUT for a query that a person can get wrong, `ReadStoreUnavailableError` and its kin for the store's own.
 */
export interface ReadStore {
  /** Makes a generation's collections and indexes; again is no error. A different definition of the same name is one. */
  prepare(
    generation: Generation,
    collections: readonly CollectionDefinition[],
    options?: PrepareOptions,
  ): Promise<void>;
  /** Takes ownership: raises the epoch and answers the checkpoint to go on from. */
  claim(generation: Generation): Promise<Checkpoint>;
  /** Null where the generation was never prepared, or was dropped. */
  checkpoint(generation: Generation): Promise<Checkpoint | null>;
  /** Changes, checkpoint and runner state together or not at all; `fenced` where the checkpoint is not `from` any more. */
  apply(generation: Generation, batch: Batch): Promise<'applied' | 'fenced'>;
  /** What the last batch that carried one left. */
  runnerState(generation: Generation): Promise<JsonObject | null>;
  get(generation: Generation, collection: string, id: string): Promise<Document | null>;
  find(generation: Generation, collection: string, options: FindOptions): Promise<FoundPage>;
  count(generation: Generation, collection: string): Promise<number>;
  digest(generation: Generation): Promise<GenerationDigest>;
  /** Dropping what is not there is no error. */
  drop(generation: Generation): Promise<void>;
  /** In the order in which they were made; every projection's where none is named. */
  generations(projection?: string): Promise<readonly Generation[]>;
  close(): Promise<void>;
}
