import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { type UnreplayableFilter, UnreplayableJobs, type UnreplayablePage } from '../unreplayable-jobs.js';

/** Jobs that cannot be replayed, by what is missing (seed 002 section 13). */
export class ListUnreplayable extends Query<UnreplayablePage> {
  constructor(readonly filter: UnreplayableFilter) {
    super();
  }
}

@QueryHandler(ListUnreplayable)
export class ListUnreplayableHandler implements IQueryHandler<ListUnreplayable> {
  constructor(private readonly jobs: UnreplayableJobs) {}

  execute({ filter }: ListUnreplayable): Promise<UnreplayablePage> {
    return this.jobs.page(filter);
  }
}
