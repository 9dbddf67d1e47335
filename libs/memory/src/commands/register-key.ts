import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import type { KeyRequest } from '../domain/canonical-key.js';
import { KeyRegistration } from '../key-registration.js';

export interface RegisteredKey {
  readonly canonical_key: string;
}

/** Makes the key of what somebody wrote, and remembers whose entity_id it is. */
export class RegisterKey extends Command<RegisteredKey> {
  constructor(
    readonly ctx: CommandContext,
    readonly request: KeyRequest,
  ) {
    super();
  }
}

@CommandHandler(RegisterKey)
export class RegisterKeyHandler implements ICommandHandler<RegisterKey> {
  constructor(private readonly registration: KeyRegistration) {}

  async execute({ ctx, request }: RegisterKey): Promise<RegisteredKey> {
    return { canonical_key: await this.registration.register(ctx, request) };
  }
}
