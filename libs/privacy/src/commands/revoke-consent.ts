import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { Consents, type ConsentView } from '../consents.js';

/** A person takes a consent of their own back, for good. */
export class RevokeConsent extends Command<ConsentView> {
  constructor(
    readonly ctx: CommandContext,
    readonly consentId: string,
  ) {
    super();
  }
}

@CommandHandler(RevokeConsent)
export class RevokeConsentHandler implements ICommandHandler<RevokeConsent> {
  constructor(private readonly consents: Consents) {}

  execute({ ctx, consentId }: RevokeConsent): Promise<ConsentView> {
    return this.consents.revoke(ctx, consentId);
  }
}
