import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { ReflectiveLogs, type LogVerdict } from '../reflective-logs.js';

/** Checks a log again; one that fails is quarantined. */
export class VerifyLog extends Command<LogVerdict> {
  constructor(
    readonly ctx: CommandContext,
    readonly logId: string,
  ) {
    super();
  }
}

@CommandHandler(VerifyLog)
export class VerifyLogHandler implements ICommandHandler<VerifyLog> {
  constructor(private readonly logs: ReflectiveLogs) {}

  execute({ ctx, logId }: VerifyLog): Promise<LogVerdict> {
    return this.logs.verify(logId, ctx);
  }
}
