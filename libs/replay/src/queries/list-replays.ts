import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { type ReplayFilter, ReplayList, type ReplayPage } from '../replay-list.js';

/** Replays, newest first. */
export class ListReplays extends Query<ReplayPage> {
  constructor(readonly filter: ReplayFilter) {
    super();
  }
}

@QueryHandler(ListReplays)
export class ListReplaysHandler implements IQueryHandler<ListReplays> {
  constructor(private readonly list: ReplayList) {}

  execute({ filter }: ListReplays): Promise<ReplayPage> {
    return this.list.page(filter);
  }
}
