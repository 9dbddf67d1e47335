import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { type Exported, Exports } from '../exports.js';

/** A person takes their data away; a command, because that is recorded. */
export class ExportData extends Command<Exported> {
  constructor(
    readonly ctx: CommandContext,
    readonly dsrId: string,
  ) {
    super();
  }
}

@CommandHandler(ExportData)
export class ExportDataHandler implements ICommandHandler<ExportData> {
  constructor(private readonly exports: Exports) {}

  execute({ ctx, dsrId }: ExportData): Promise<Exported> {
    return this.exports.export(ctx, dsrId);
  }
}
