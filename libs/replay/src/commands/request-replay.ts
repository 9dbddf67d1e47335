import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import type { ReplayResult } from '../domain/replay.events.js';
import { type ReplayOrder, Replays } from '../replays.js';

/** Runs a job again from its record and compares. */
export class RequestReplay extends Command<ReplayResult> {
  constructor(
    readonly ctx: CommandContext,
    readonly order: ReplayOrder,
  ) {
    super();
  }
}

@CommandHandler(RequestReplay)
export class RequestReplayHandler implements ICommandHandler<RequestReplay> {
  constructor(private readonly replays: Replays) {}

  execute({ ctx, order }: RequestReplay): Promise<ReplayResult> {
    return this.replays.request(order, ctx);
  }
}
