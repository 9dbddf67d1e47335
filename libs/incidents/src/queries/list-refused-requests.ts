import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { PlacedRow } from '#lib/projections';

import { IncidentList, type ListPage, type PageOptions } from '../incident-list.js';
import type { RefusedRequestsRow } from '../read-models/incidents.projection.js';

/** Requests that were refused and left no other event, newest first. */
export class ListRefusedRequests extends Query<ListPage<PlacedRow<RefusedRequestsRow>>> {
  constructor(readonly filter: PageOptions & { readonly principal?: string }) {
    super();
  }
}

@QueryHandler(ListRefusedRequests)
export class ListRefusedRequestsHandler implements IQueryHandler<ListRefusedRequests> {
  constructor(private readonly list: IncidentList) {}

  execute({ filter }: ListRefusedRequests): Promise<ListPage<PlacedRow<RefusedRequestsRow>>> {
    return this.list.refusedRequests(filter);
  }
}
