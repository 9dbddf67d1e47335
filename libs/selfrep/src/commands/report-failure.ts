import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import { type CommandContext, RequestBindings } from '#lib/access';
import { EventLog } from '#lib/event-store';

import { type FailureAnswer, type FailureReport, Modules } from '../modules.js';
import { SystemReports } from '../system-reports.js';

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
  private readonly reports: SystemReports;

  constructor(
    private readonly modules: Modules,
    log: EventLog,
    bindings: RequestBindings,
  ) {
    this.reports = new SystemReports(log, bindings, modules);
  }

  execute({ ctx, report }: ReportFailure): Promise<FailureAnswer> {
    return SystemReports.takes(report) ? this.reports.report(ctx, report) : this.modules.reportFailure(ctx, report);
  }
}
