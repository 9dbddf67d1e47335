import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import type { JsonObject } from '#lib/kernel';

import { ReflectiveLogs } from '../reflective-logs.js';

/** An attempt to change a written log; always refused, and nothing changes. */
export class PatchLog extends Command<never> {
  constructor(
    readonly ctx: CommandContext,
    readonly logId: string,
    readonly patch: JsonObject,
  ) {
    super();
  }
}

@CommandHandler(PatchLog)
export class PatchLogHandler implements ICommandHandler<PatchLog> {
  constructor(private readonly logs: ReflectiveLogs) {}

  execute({ ctx, logId, patch }: PatchLog): Promise<never> {
    return this.logs.refusePatch(logId, patch, ctx);
  }
}
