import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { type HaltFilter, HaltList, type HaltPage } from '../halt-list.js';

/** Halted snapshots, newest first, each with its cause and how many jobs pin it. */
export class ListHalts extends Query<HaltPage> {
  constructor(readonly filter: HaltFilter) {
    super();
  }
}

@QueryHandler(ListHalts)
export class ListHaltsHandler implements IQueryHandler<ListHalts> {
  constructor(private readonly list: HaltList) {}

  execute({ filter }: ListHalts): Promise<HaltPage> {
    return this.list.page(filter);
  }
}
