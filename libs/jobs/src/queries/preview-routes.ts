import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { type PreviewRequest, Routes, type RoutesPreview } from '../routes.js';

/** Where queries would go, under the router policy in force or a change of it that nobody has approved yet. */
export class PreviewRoutes extends Query<RoutesPreview> {
  constructor(
    readonly ctx: CommandContext,
    readonly request: PreviewRequest,
  ) {
    super();
  }
}

@QueryHandler(PreviewRoutes)
export class PreviewRoutesHandler implements IQueryHandler<PreviewRoutes> {
  constructor(private readonly routes: Routes) {}

  execute({ ctx, request }: PreviewRoutes): Promise<RoutesPreview> {
    return this.routes.preview(ctx, request);
  }
}
