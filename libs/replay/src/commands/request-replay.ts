import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { ReplayDoor } from '../replay-door.js';
import { type ReplayView, ReplayViews } from '../replay-views.js';
import { type ReplayOrder, Replays } from '../replays.js';

/** Runs a job again from its record and compares. */
export class RequestReplay extends Command<ReplayView> {
  constructor(
    readonly ctx: CommandContext,
    readonly order: ReplayOrder,
    /** For an auditor or admin: with what was said. */
    readonly unredacted?: boolean,
  ) {
    super();
  }
}

@CommandHandler(RequestReplay)
export class RequestReplayHandler implements ICommandHandler<RequestReplay> {
  constructor(
    private readonly replays: Replays,
    private readonly views: ReplayViews,
    private readonly door: ReplayDoor,
  ) {}

  async execute({ ctx, order, unredacted }: RequestReplay): Promise<ReplayView> {
    this.door.refuseUnredacted(ctx, unredacted);
    await this.door.admitMocks(order.job_id, order.mocks ?? [], ctx, unredacted);
    return this.views.of(await this.replays.request(order, ctx), ctx, unredacted);
  }
}
