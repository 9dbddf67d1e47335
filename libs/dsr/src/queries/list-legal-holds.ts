import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { type HoldsPage, LegalHolds } from '../legal-holds.js';

/** Every legal hold, those that were lifted included. */
export class ListLegalHolds extends Query<HoldsPage> {
  constructor(readonly page: { readonly limit: number; readonly cursor?: string }) {
    super();
  }
}

@QueryHandler(ListLegalHolds)
export class ListLegalHoldsHandler implements IQueryHandler<ListLegalHolds> {
  constructor(private readonly holds: LegalHolds) {}

  execute({ page }: ListLegalHolds): Promise<HoldsPage> {
    return this.holds.page(page);
  }
}
