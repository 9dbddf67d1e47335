import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { DsrRequests, type VersionedDsr } from '../requests.js';

/** An admin or a member of the council allows a deletion. */
export class ApproveDsr extends Command<VersionedDsr> {
  constructor(
    readonly ctx: CommandContext,
    readonly dsrId: string,
  ) {
    super();
  }
}

@CommandHandler(ApproveDsr)
export class ApproveDsrHandler implements ICommandHandler<ApproveDsr> {
  constructor(private readonly requests: DsrRequests) {}

  execute({ ctx, dsrId }: ApproveDsr): Promise<VersionedDsr> {
    return this.requests.approve(ctx, dsrId);
  }
}
