import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import { type BrainStateFilter, BrainStateList, type BrainStatePage } from '../brainstate-list.js';

/** BrainStates, newest first. */
export class ListBrainStates extends Query<BrainStatePage> {
  constructor(readonly filter: BrainStateFilter) {
    super();
  }
}

@QueryHandler(ListBrainStates)
export class ListBrainStatesHandler implements IQueryHandler<ListBrainStates> {
  constructor(private readonly list: BrainStateList) {}

  execute({ filter }: ListBrainStates): Promise<BrainStatePage> {
    return this.list.page(filter);
  }
}
