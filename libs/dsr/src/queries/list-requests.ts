import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { type DsrPage, type DsrQuery, DsrQueue } from '../request-queue.js';

/** The queue of requests. */
export class ListDsr extends Query<DsrPage> {
  constructor(
    readonly ctx: CommandContext,
    readonly query: DsrQuery,
  ) {
    super();
  }
}

@QueryHandler(ListDsr)
export class ListDsrHandler implements IQueryHandler<ListDsr> {
  constructor(private readonly queue: DsrQueue) {}

  execute({ ctx, query }: ListDsr): Promise<DsrPage> {
    return this.queue.page(ctx, query);
  }
}
