import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import { type CommandContext, personOf } from '#lib/access';

import { type ConsentPage, Consents } from '../consents.js';

/** One's own consents, oldest first, those that have ended included. */
export class ListConsents extends Query<ConsentPage> {
  constructor(
    readonly ctx: CommandContext,
    readonly page: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
  ) {
    super();
  }
}

@QueryHandler(ListConsents)
export class ListConsentsHandler implements IQueryHandler<ListConsents> {
  constructor(private readonly consents: Consents) {}

  execute({ ctx, page }: ListConsents): Promise<ConsentPage> {
    return this.consents.list(personOf(ctx.principal), page, ctx.now);
  }
}
