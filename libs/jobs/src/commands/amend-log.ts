import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import type { JsonObject } from '#lib/kernel';

import type { Amendment, AmendmentEffect } from '../domain/amendments.events.js';
import { ReflectiveLogs } from '../reflective-logs.js';

/** Says something beside a log, which itself never changes. */
export class AmendLog extends Command<Amendment> {
  constructor(
    readonly ctx: CommandContext,
    readonly logId: string,
    readonly effect: AmendmentEffect,
    readonly changes: JsonObject,
  ) {
    super();
  }
}

@CommandHandler(AmendLog)
export class AmendLogHandler implements ICommandHandler<AmendLog> {
  constructor(private readonly logs: ReflectiveLogs) {}

  execute({ ctx, logId, effect, changes }: AmendLog): Promise<Amendment> {
    return this.logs.amend(logId, effect, changes, ctx);
  }
}
