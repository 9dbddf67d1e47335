import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { type FailureAnswer, type FailureReport, Modules } from '../modules.js';

/** Reports a failure of a module from outside a job (spec/failures.md, POST /events/failure). */
export class ReportFailure extends Command<FailureAnswer> {
  constructor(
    readonly ctx: CommandContext,
    readonly report: FailureReport,
  ) {
    super();
  }
}

@CommandHandler(ReportFailure)
export class ReportFailureHandler implements ICommandHandler<ReportFailure> {
  constructor(private readonly modules: Modules) {}

  execute({ ctx, report }: ReportFailure): Promise<FailureAnswer> {
    return this.modules.reportFailure(ctx, report);
  }
}
