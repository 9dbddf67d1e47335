import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { DsrRequests, type VersionedDsr } from '../requests.js';

/** One request, as its stream tells it. */
export class GetDsr extends Query<VersionedDsr> {
  constructor(
    readonly ctx: CommandContext,
    readonly dsrId: string,
  ) {
    super();
  }
}

@QueryHandler(GetDsr)
export class GetDsrHandler implements IQueryHandler<GetDsr> {
  constructor(private readonly requests: DsrRequests) {}

  execute({ ctx, dsrId }: GetDsr): Promise<VersionedDsr> {
    return this.requests.view(ctx, dsrId);
  }
}
