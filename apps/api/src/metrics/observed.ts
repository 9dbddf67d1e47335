import type { EventStore } from '#lib/event-store';
import type { KeyCounts } from '#lib/memory';
import type { ProjectionListing } from '#lib/projections';
import type { CheckpointRecord } from '#lib/proof';

import { freeBytesOf } from '../free-bytes.js';
import { inTime } from '../in-time.js';

export type ProjectionSeen = Pick<ProjectionListing, 'name' | 'lag' | 'state' | 'parked'>;

/** How things stand at one moment. What could not be looked at is absent, and named. */
export interface Observed {
  readonly build: Readonly<Record<'version' | 'event_store' | 'read_store' | 'cache', string>>;
  readonly projections: readonly ProjectionSeen[] | undefined;
  readonly openNegotiations: number | undefined;
  readonly keys: KeyCounts | undefined;
  readonly leaves: number;
  /** Undefined where positions do not count events. */
  readonly unread: number | undefined;
  readonly unsigned: number;
  readonly checkpointAge: number | undefined;
  readonly isProvable: boolean;
  readonly isAppendable: boolean;
  readonly isCacheUp: boolean | undefined;
  readonly isEngineUp: boolean | undefined;
  readonly waiting: number;
  readonly freeBytes: number | undefined;
  readonly storage: StorageSeen;
  readonly unobserved: readonly Part[];
}

export interface StorageSeen {
  /** Whether a limit is reached, so that writes are refused. */
  readonly isFull: boolean;
  /** Of the data folder's stores, and what they may take; undefined where there is no quota. */
  readonly usedBytes: number | undefined;
  readonly quotaBytes: number | undefined;
}

type Part = 'projections' | 'negotiations' | 'memory' | 'event-store' | 'disk';

export interface Sources {
  readonly build: Observed['build'];
  readonly dataDir: string;
  readonly eventStore: Pick<EventStore, 'head' | 'count'>;
  readonly proof: {
    state(): { readonly leaves: number };
    latest(): Pick<CheckpointRecord, 'size' | 'made_at'> | null;
    readonly unready: string | null;
  };
  readonly projections: () => Promise<readonly ProjectionSeen[]>;
  readonly openNegotiations: () => Promise<number>;
  readonly keys: () => Promise<KeyCounts>;
  readonly appendFault: () => string | null;
  readonly cacheState: () => 'up' | 'down' | undefined;
  readonly engineState: () => 'up' | 'down' | undefined;
  readonly spool: { readonly waiting: readonly unknown[] };
  readonly storage: () => StorageSeen;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** How long a part is waited for, ms; default 2000. */
  readonly waitMs?: number;
}

/** Looks at everything at once; a part that does not answer holds up no other. Never rejects. */
export async function observe(sources: Sources): Promise<Observed> {
  const {
    build,
    dataDir,
    eventStore,
    proof,
    appendFault,
    cacheState,
    engineState,
    spool,
    storage,
    now,
    waitMs = 2000,
  } = sources;
  const unobserved: Part[] = [];
  const seen = <T>(part: Part, look: () => Promise<T>): Promise<T | undefined> =>
    inTime(look, waitMs).catch(() => void unobserved.push(part));
  const [projections, openNegotiations, keys, head, freeBytes] = await Promise.all([
    seen('projections', sources.projections),
    seen('negotiations', sources.openNegotiations),
    seen('memory', sources.keys),
    seen('event-store', () => eventStore.head()),
    seen('disk', () => freeBytesOf(dataDir)),
  ]);
  const { leaves } = proof.state();
  const checkpoint = proof.latest();
  const counts = head !== undefined && eventStore.count !== undefined;
  return {
    build,
    projections,
    openNegotiations,
    keys,
    leaves,
    // Where events can be counted, a position is their number up to it.
    unread: counts ? Math.max(0, Number(head) - leaves) : undefined,
    unsigned: Math.max(0, leaves - (checkpoint?.size ?? 0)),
    checkpointAge: checkpoint ? Math.max(0, (now() - Date.parse(checkpoint.made_at)) / 1000) : undefined,
    isProvable: proof.unready === null,
    isAppendable: appendFault() === null,
    isCacheUp: cacheState() && cacheState() === 'up',
    isEngineUp: engineState() && engineState() === 'up',
    waiting: spool.waiting.length,
    freeBytes,
    storage: storage(),
    unobserved,
  };
}
