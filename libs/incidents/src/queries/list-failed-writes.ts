import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { type FailedWritesPage, IncidentList, type PageOptions } from '../incident-list.js';

/** Writes that memory refused, by key: recorded, and waiting to be. */
export class ListFailedWrites extends Query<FailedWritesPage> {
  constructor(readonly filter: PageOptions & { readonly key?: string }) {
    super();
  }
}

@QueryHandler(ListFailedWrites)
export class ListFailedWritesHandler implements IQueryHandler<ListFailedWrites> {
  constructor(private readonly list: IncidentList) {}

  execute({ filter }: ListFailedWrites): Promise<FailedWritesPage> {
    return this.list.failedWrites(filter);
  }
}
