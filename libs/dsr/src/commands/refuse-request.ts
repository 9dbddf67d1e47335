import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { DsrRequests, type VersionedDsr } from '../requests.js';

/** An admin or a member of the council refuses a deletion, and tells the person why. */
export class RefuseDsr extends Command<VersionedDsr> {
  constructor(
    readonly ctx: CommandContext,
    readonly dsrId: string,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(RefuseDsr)
export class RefuseDsrHandler implements ICommandHandler<RefuseDsr> {
  constructor(private readonly requests: DsrRequests) {}

  execute({ ctx, dsrId, reason }: RefuseDsr): Promise<VersionedDsr> {
    return this.requests.refuse(ctx, dsrId, reason);
  }
}
