import type { JsonObject } from '#lib/kernel';

/**
 * The read store port: collections of documents with declared indexes, written by one owner a projection together with
 * its checkpoint.
 */

export interface CollectionDefinition {
  readonly name: string;
  /** Top-level fields that `find` may filter or sort by, besides the id. */
  readonly indexes: readonly string[];
}

export interface Document {
  readonly id: string;
  readonly body: JsonObject;
}

/** What a projection says of one event; applied in order. */
export type Change =
  | { readonly op: 'put'; readonly collection: string; readonly id: string; readonly body: JsonObject }
  /** Top-level fields replaced in an existing document, or in an empty one that is then made. */
  | { readonly op: 'merge'; readonly collection: string; readonly id: string; readonly fields: JsonObject }
  | { readonly op: 'delete'; readonly collection: string; readonly id: string };

type Scalar = string | number | boolean | null;

export type Condition =
  | { readonly field: string; readonly equals: Scalar }
  | { readonly field: string; readonly prefix: string }
  | { readonly field: string; readonly from?: Scalar; readonly below?: Scalar };

export interface FindOptions {
  /** All must hold. `id` names the document's id; every other field must be a declared index. */
  readonly where?: readonly Condition[];
  /** Ties are ordered by id in the same direction. Default: by id, ascending. */
  readonly sort?: { readonly field: string; readonly descending?: boolean };
  /** 1 to 1000. */
  readonly limit: number;
  /** What a page before gave as `next`. */
  readonly cursor?: string;
}

export interface FoundPage {
  readonly documents: readonly Document[];
  readonly next: string | null;
}

/** One physical set of a projection's collections: the live one, one being rebuilt, or a scratch place. */
export interface Generation {
  readonly projection: string;
  /** [a-z0-9_], at most 40. */
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
}

export interface ReadStore {
  /** Makes a generation's collections and indexes; again is no error. A different definition of the same name is one. */
  prepare(generation: Generation, collections: readonly CollectionDefinition[]): Promise<void>;
  /** Takes ownership: raises the epoch and answers the checkpoint to go on from. */
  claim(generation: Generation): Promise<Checkpoint>;
  checkpoint(generation: Generation): Promise<Checkpoint | null>;
  /** Changes and checkpoint together or not at all; `fenced` where the checkpoint is not `from` any more. */
  apply(generation: Generation, batch: Batch): Promise<'applied' | 'fenced'>;
  get(generation: Generation, collection: string, id: string): Promise<Document | null>;
  find(generation: Generation, collection: string, options: FindOptions): Promise<FoundPage>;
  count(generation: Generation, collection: string): Promise<number>;
  /** SHA-256 hex over every document of the generation: collections by name, documents by id, canonical bodies. */
  digest(generation: Generation): Promise<string>;
  drop(generation: Generation): Promise<void>;
  generations(projection: string): Promise<readonly Generation[]>;
  /** A small document of the runner's own (state, parked event), outside every generation. */
  putRunnerState(projection: string, state: JsonObject): Promise<void>;
  runnerState(projection: string): Promise<JsonObject | null>;
  close(): Promise<void>;
}
