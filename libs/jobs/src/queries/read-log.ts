import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import type { LogView } from '../domain/reflective-log.js';
import { ReflectiveLogs } from '../reflective-logs.js';

/** A reflective log with what stands beside it. */
export class ReadLog extends Query<LogView> {
  constructor(
    readonly ctx: CommandContext,
    readonly logId: string,
  ) {
    super();
  }
}

@QueryHandler(ReadLog)
export class ReadLogHandler implements IQueryHandler<ReadLog> {
  constructor(private readonly logs: ReflectiveLogs) {}

  execute({ ctx, logId }: ReadLog): Promise<LogView> {
    return this.logs.read(logId, ctx);
  }
}

/** The reflective log of a job. */
export class ReadJobLog extends Query<LogView> {
  constructor(
    readonly ctx: CommandContext,
    readonly jobId: string,
  ) {
    super();
  }
}

@QueryHandler(ReadJobLog)
export class ReadJobLogHandler implements IQueryHandler<ReadJobLog> {
  constructor(private readonly logs: ReflectiveLogs) {}

  execute({ ctx, jobId }: ReadJobLog): Promise<LogView> {
    return this.logs.readOfJob(jobId, ctx);
  }
}
