import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { RowOfOld } from '#lib/projections';

import { type IncidentFilter, IncidentList, type ListPage } from '../incident-list.js';
import type { IncidentRow } from '../read-models/incidents.projection.js';

/** Incidents, newest first. */
export class ListIncidents extends Query<ListPage<RowOfOld<IncidentRow>>> {
  constructor(readonly filter: IncidentFilter) {
    super();
  }
}

@QueryHandler(ListIncidents)
export class ListIncidentsHandler implements IQueryHandler<ListIncidents> {
  constructor(private readonly list: IncidentList) {}

  execute({ filter }: ListIncidents): Promise<ListPage<RowOfOld<IncidentRow>>> {
    return this.list.incidents(filter);
  }
}
