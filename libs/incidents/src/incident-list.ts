import { eventId, type JsonObject } from '#lib/kernel';
import type { FailureSpool } from '#lib/memory';
import { placed, placedAsOfOld, type PlacedRow, type ReadModel, type RowOfOld } from '#lib/projections';
import type { Condition } from '#lib/read-store';

import type { Severity } from './domain/incidents.events.js';
import {
  FAILED_WRITES_COLLECTION,
  type FailedWriteRow,
  INCIDENTS_COLLECTION,
  type IncidentRow,
  LASTING_COLLECTION,
  type LastingIncident,
  REFUSED_REQUESTS_COLLECTION,
  type RefusedRequestsRow,
} from './read-models/incidents.projection.js';

const MOST_LASTING = 200;

export interface PageOptions {
  readonly limit: number;
  readonly cursor?: string;
}

export interface IncidentFilter extends PageOptions {
  readonly status?: IncidentRow['status'];
  readonly severity?: Severity;
}

/** One page, newest first, as of the position that the read model has reached. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
  readonly position: string;
}

/** A failed write that could not be recorded yet, because the log takes nothing. */
export type WaitingWrite = Omit<FailedWriteRow, 'position' | 'recorded_at'>;

export interface FailedWritesPage extends ListPage<RowOfOld<FailedWriteRow>> {
  readonly waiting: readonly WaitingWrite[];
}

/** Lists of incidents, failed writes and refused requests, as far as their read model is. */
export class IncidentList {
  constructor(
    private readonly model: Pick<ReadModel, 'find' | 'position'>,
    private readonly spool: Pick<FailureSpool, 'waiting'>,
  ) {}

  incidents({ status, severity, ...page }: IncidentFilter): Promise<ListPage<RowOfOld<IncidentRow>>> {
    const where = [...equal('status', status), ...equal('severity', severity)];
    return this.page(INCIDENTS_COLLECTION.name, page, where, placedAsOfOld<IncidentRow>);
  }

  /** Ops see them by key, also while nothing can be recorded (spec/failures.md). */
  async failedWrites({ key, ...page }: PageOptions & { readonly key?: string }): Promise<FailedWritesPage> {
    const found = await this.page(
      FAILED_WRITES_COLLECTION.name,
      page,
      equal('key', key),
      placedAsOfOld<FailedWriteRow>,
    );
    const waiting = this.spool.waiting.filter(({ event }) => event.type === 'MEMORY_WRITE_FAIL').map(waitingWrite);
    return { ...found, waiting: waiting.filter((one) => key === undefined || one.key === key) };
  }

  /** What is not over yet of what ends by itself, the oldest first; at most 200. */
  async lasting(): Promise<readonly LastingIncident[]> {
    const found = await this.model.find(LASTING_COLLECTION.name, { sort: { field: 'position' }, limit: MOST_LASTING });
    return found.documents.map(({ body }) => body as unknown as LastingIncident);
  }

  /** What was refused and left no other event, by whom and how often. */
  refusedRequests({
    principal,
    ...page
  }: PageOptions & { readonly principal?: string }): Promise<ListPage<PlacedRow<RefusedRequestsRow>>> {
    const where = equal('principal', principal);
    return this.page(REFUSED_REQUESTS_COLLECTION.name, page, where, placed<RefusedRequestsRow>);
  }

  private async page<R, T>(
    collection: string,
    { limit, cursor }: PageOptions,
    where: Condition[],
    shown: (row: R) => T,
  ): Promise<ListPage<T>> {
    const position = await this.model.position();
    const found = await this.model.find(collection, {
      where,
      sort: { field: 'position', descending: true },
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const items = found.documents.map(({ body }) => shown(body as unknown as R));
    return { items, next_cursor: found.next, position };
  }
}

function equal(field: string, value: string | undefined): Condition[] {
  return value === undefined ? [] : [{ field, equals: value }];
}

function waitingWrite({ stream, event, provenance }: FailureSpool['waiting'][number]): WaitingWrite {
  const { key, error_code, attempts, fault } = event.data as JsonObject & Omit<WaitingWrite, 'event_id' | 'stream'>;
  const event_id = eventId(provenance.jobSeed, provenance.sequenceIndex, event.type);
  return { key, error_code, attempts, fault, event_id, stream };
}
