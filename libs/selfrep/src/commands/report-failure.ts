import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import { EventLog } from '#lib/event-store';

import { FailureReports } from '../failure-reports.js';
import { type FailureAnswer, type FailureReport, Modules } from '../modules.js';
import { ReportConsequences } from '../ports.js';

/** Reports a failure from outside a job (spec/failures.md, POST /events/failure). */
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
  private readonly reports: FailureReports;

  constructor(modules: Modules, log: EventLog, consequences: ReportConsequences) {
    this.reports = new FailureReports(log, modules, consequences);
  }

  execute({ ctx, report }: ReportFailure): Promise<FailureAnswer> {
    return this.reports.report(ctx, report);
  }
}
