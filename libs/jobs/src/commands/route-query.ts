import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import type { Stage0Route } from '#lib/routing';

import { type DecidedRoute, type RouteRequest, Routes } from '../routes.js';

/** Where the nine rules of Stage-0 send a query. */
export class RouteQuery extends Command<Stage0Route> {
  constructor(
    readonly ctx: CommandContext,
    readonly request: RouteRequest,
  ) {
    super();
  }
}

/** Where a job of one's own would send a query. */
export class DecideRoute extends Command<DecidedRoute> {
  constructor(
    readonly ctx: CommandContext,
    readonly request: RouteRequest,
  ) {
    super();
  }
}

@CommandHandler(RouteQuery)
export class RouteQueryHandler implements ICommandHandler<RouteQuery> {
  constructor(private readonly routes: Routes) {}

  execute({ ctx, request }: RouteQuery): Promise<Stage0Route> {
    return this.routes.route(ctx, request);
  }
}

@CommandHandler(DecideRoute)
export class DecideRouteHandler implements ICommandHandler<DecideRoute> {
  constructor(private readonly routes: Routes) {}

  execute({ ctx, request }: DecideRoute): Promise<DecidedRoute> {
    return this.routes.decide(ctx, request);
  }
}
