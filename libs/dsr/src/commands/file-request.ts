import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { type DsrForm, DsrRequests } from '../requests.js';

/** Somebody asks for their data, or for its deletion. */
export class FileDsr extends Command<{ readonly dsr_id: string }> {
  constructor(
    readonly ctx: CommandContext,
    readonly form: DsrForm,
  ) {
    super();
  }
}

@CommandHandler(FileDsr)
export class FileDsrHandler implements ICommandHandler<FileDsr> {
  constructor(private readonly requests: DsrRequests) {}

  execute({ ctx, form }: FileDsr): Promise<{ readonly dsr_id: string }> {
    return this.requests.file(ctx, form);
  }
}
