import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { type ConsentGranted, Consents } from '../consents.js';
import type { ConsentRequest } from '../domain/consent.js';

/** A person lets a type of their personal data be stored. */
export class GrantConsent extends Command<ConsentGranted> {
  constructor(
    readonly ctx: CommandContext,
    readonly request: ConsentRequest,
  ) {
    super();
  }
}

@CommandHandler(GrantConsent)
export class GrantConsentHandler implements ICommandHandler<GrantConsent> {
  constructor(private readonly consents: Consents) {}

  execute({ ctx, request }: GrantConsent): Promise<ConsentGranted> {
    return this.consents.grant(ctx, request);
  }
}
