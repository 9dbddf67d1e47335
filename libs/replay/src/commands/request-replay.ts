import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import type { ReplayMode, ReplayResult } from '../domain/replay.events.js';
import { Replays } from '../replays.js';

/** Runs a job again from its record and compares. */
export class RequestReplay extends Command<ReplayResult> {
  constructor(
    readonly ctx: CommandContext,
    readonly jobId: string,
    readonly mode: ReplayMode,
  ) {
    super();
  }
}

@CommandHandler(RequestReplay)
export class RequestReplayHandler implements ICommandHandler<RequestReplay> {
  constructor(private readonly replays: Replays) {}

  execute({ ctx, jobId, mode }: RequestReplay): Promise<ReplayResult> {
    return this.replays.request(jobId, mode, ctx);
  }
}
