import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import type { Principal } from '#lib/access';

import { type DiffRequest, HistoryDiff, type HistoryDiffPage } from '../history-diff.js';

/** What changed between two positions, a page at a time. */
export class DiffHistory extends Query<HistoryDiffPage> {
  constructor(
    readonly principal: Principal,
    readonly request: DiffRequest,
  ) {
    super();
  }
}

@QueryHandler(DiffHistory)
export class DiffHistoryHandler implements IQueryHandler<DiffHistory> {
  constructor(private readonly history: HistoryDiff) {}

  execute({ principal, request }: DiffHistory): Promise<HistoryDiffPage> {
    return this.history.page(request, principal.id);
  }
}
