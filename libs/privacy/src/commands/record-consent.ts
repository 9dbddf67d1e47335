import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import { type CommandContext, Principals } from '#lib/access';

import { type ConsentElsewhere, type ConsentGranted, Consents } from '../consents.js';

/** An admin records a consent that a person gave elsewhere. */
export class RecordConsent extends Command<ConsentGranted> {
  constructor(
    readonly ctx: CommandContext,
    /** `user_id` in any spelling. */
    readonly given: ConsentElsewhere,
  ) {
    super();
  }
}

@CommandHandler(RecordConsent)
export class RecordConsentHandler implements ICommandHandler<RecordConsent> {
  constructor(
    private readonly consents: Consents,
    private readonly principals: Principals,
  ) {}

  async execute({ ctx, given }: RecordConsent): Promise<ConsentGranted> {
    return this.consents.record(ctx, { ...given, user_id: await this.principals.registered(given.user_id) });
  }
}
