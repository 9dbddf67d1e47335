import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { type LegalHold, LegalHolds } from '../legal-holds.js';

/** An admin or a member of the council ends a legal hold. */
export class LiftLegalHold extends Command<LegalHold> {
  constructor(
    readonly ctx: CommandContext,
    readonly holdId: string,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(LiftLegalHold)
export class LiftLegalHoldHandler implements ICommandHandler<LiftLegalHold> {
  constructor(private readonly holds: LegalHolds) {}

  execute({ ctx, holdId, reason }: LiftLegalHold): Promise<LegalHold> {
    return this.holds.lift(ctx, holdId, reason);
  }
}
