import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import { CriticList, type CriticPage, type CriticPaging } from '../critic-list.js';

/** Registered critics and how each is. */
export class ListCritics extends Query<CriticPage> {
  constructor(
    readonly paging: CriticPaging,
    /** Milliseconds since 1970. */
    readonly now: number,
  ) {
    super();
  }
}

@QueryHandler(ListCritics)
export class ListCriticsHandler implements IQueryHandler<ListCritics> {
  constructor(private readonly list: CriticList) {}

  execute({ paging, now }: ListCritics): Promise<CriticPage> {
    return this.list.page(paging, now);
  }
}
