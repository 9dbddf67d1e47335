import { type DueTime, dueTimes, placedAsOfOld, type ReadModel, type RowOfOld } from '#lib/projections';
import type { Condition } from '#lib/read-store';

import { REQUESTS_COLLECTION, type RequestRow } from './read-models/actionrequests.projection.js';

/** One page of requests, newest first, as of the position that the read model has reached. */
export interface RequestPage {
  readonly items: readonly RowOfOld<RequestRow>[];
  readonly next_cursor: string | null;
  readonly position: string;
}

export interface RequestFilter {
  readonly status?: string;
  readonly kind?: string;
  /** Only what this principal asked for. */
  readonly requestedBy?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** Lists of requests, as far as the projection is. */
export class RequestList {
  constructor(private readonly model: Pick<ReadModel, 'find' | 'position'>) {}

  async page({ status, kind, requestedBy, limit, cursor }: RequestFilter): Promise<RequestPage> {
    const equal = (field: string, value: string | undefined): Condition[] =>
      value === undefined ? [] : [{ field, equals: value }];
    const position = await this.model.position();
    const found = await this.model.find(REQUESTS_COLLECTION.name, {
      where: [...equal('status', status), ...equal('kind', kind), ...equal('requested_by', requestedBy)],
      sort: { field: 'position', descending: true },
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const items = found.documents.map(({ body }) => placedAsOfOld(body as unknown as RequestRow));
    return { items, next_cursor: found.next, position };
  }

  /** Everything that closes by itself at some time, the earliest first. */
  open(): AsyncIterable<DueTime> {
    return dueTimes(this.model, REQUESTS_COLLECTION.name);
  }
}
