import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { BrainStates } from '../brain-states.js';
import type { RoutingHints } from '../domain/attention.js';

/** What the router would be told by a BrainState. */
export class GetRoutingHints extends Query<RoutingHints> {
  constructor(
    readonly ctx: CommandContext,
    readonly snapshotId: string,
  ) {
    super();
  }
}

@QueryHandler(GetRoutingHints)
export class GetRoutingHintsHandler implements IQueryHandler<GetRoutingHints> {
  constructor(private readonly states: BrainStates) {}

  execute({ ctx, snapshotId }: GetRoutingHints): Promise<RoutingHints> {
    return this.states.query(ctx, snapshotId);
  }
}
