import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import type { LegalHoldPlaced } from '../domain/dsr.events.js';
import { LegalHolds } from '../legal-holds.js';

/** An admin names evidence that no erasure removes. */
export class PlaceLegalHold extends Command<LegalHoldPlaced> {
  constructor(
    readonly ctx: CommandContext,
    readonly evidenceRef: string,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(PlaceLegalHold)
export class PlaceLegalHoldHandler implements ICommandHandler<PlaceLegalHold> {
  constructor(private readonly holds: LegalHolds) {}

  execute({ ctx, evidenceRef, reason }: PlaceLegalHold): Promise<LegalHoldPlaced> {
    return this.holds.place(ctx, evidenceRef, reason);
  }
}
