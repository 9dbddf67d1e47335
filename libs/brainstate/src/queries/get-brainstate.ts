import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { BrainStates, type FoundBrainState } from '../brain-states.js';

/** A BrainState now, or as of a position. */
export class GetBrainState extends Query<FoundBrainState> {
  constructor(
    readonly ctx: CommandContext,
    readonly snapshotId: string,
    readonly asOf?: string,
    readonly unredacted?: boolean,
  ) {
    super();
  }
}

@QueryHandler(GetBrainState)
export class GetBrainStateHandler implements IQueryHandler<GetBrainState> {
  constructor(private readonly states: BrainStates) {}

  execute({ ctx, snapshotId, asOf, unredacted }: GetBrainState): Promise<FoundBrainState> {
    return this.states.read(ctx, snapshotId, asOf, unredacted);
  }
}
