import { type EventStore } from '#lib/event-store';
import { type ReadStore } from '#lib/read-store';
import { type DifferingDocument } from './differing-documents.js';
import { type Decode } from './projection.js';
import { type RerunProgress } from './rerun-progress.js';

export interface RerunOptions {
  readonly events: EventStore;
  /** Where the live generation is; only read, unless it is the scratch place too. */
  readonly documents: ReadStore;
  /** Where the scratch generation is made; default `documents`. A store of its own keeps the live file small. */
  readonly scratch?: ReadStore;
  readonly decode: Decode;
  /** Exclusive; default START. What lies before it is projected first, so that the range meets the state it met. */
  readonly from?: string;
  /** Inclusive; default as far as the live generation is. */
  readonly to?: string;
  /** In place of `from` and `to`: the events of one stream from a revision on, and the documents that they change. */
  readonly stream?: { readonly name: string; readonly fromRevision: number };
  readonly onProgress?: (progress: RerunProgress) => void;
  readonly signal?: AbortSignal;
  /** As of CopierOptions. */
  readonly pageSize?: number;
  readonly maxBatchEvents?: number;
  readonly maxBatchCharacters?: number;
  /** Milliseconds, from any origin. */
  readonly clock?: () => number;
}

interface RerunFigures {
  readonly projection: string;
  readonly from: string;
  readonly to: string;
  /** Present where one stream was projected: its first revision, and the last that was read; null where none was. */
  readonly stream?: { readonly name: string; readonly from_revision: number; readonly to_revision: number | null };
  /** Events of the range that the projection read. */
  readonly processed: number;
  /** Events before the range that it read. */
  readonly before: number;
  /** Of the documents as they were at `from`; null where that is the beginning. */
  readonly from_digest: string | null;
  readonly scratch_digest: string;
  readonly live_digest: string | null;
  /** Whether the digests are the same; where they are not comparable it proves nothing either way. */
  readonly equal: boolean;
  readonly documents: { readonly scratch: number; readonly live: number | null };
  /**
   * The first documents that differ, at most 20; empty where none does. Null where they cannot be told: nothing can be
   * compared, or the live generation went on before they were found.
   */
  readonly differing: readonly DifferingDocument[] | null;
  readonly seconds: number;
}

export type RerunResult = RerunFigures &
  ({ readonly comparable: true } | { readonly comparable: false; readonly reason: string });
