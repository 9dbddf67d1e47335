import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { type FoundLog, ReflectiveLogs } from '../reflective-logs.js';

/** A reflective log with what stands beside it. */
export class ReadLog extends Query<FoundLog> {
  constructor(
    readonly ctx: CommandContext,
    readonly logId: string,
    /** For an auditor or admin: with what was said. */
    readonly unredacted?: boolean,
  ) {
    super();
  }
}

@QueryHandler(ReadLog)
export class ReadLogHandler implements IQueryHandler<ReadLog> {
  constructor(private readonly logs: ReflectiveLogs) {}

  execute({ ctx, logId, unredacted }: ReadLog): Promise<FoundLog> {
    return this.logs.read(logId, ctx, unredacted);
  }
}

/** The reflective log of a job. */
export class ReadJobLog extends Query<FoundLog> {
  constructor(
    readonly ctx: CommandContext,
    readonly jobId: string,
    readonly unredacted?: boolean,
  ) {
    super();
  }
}

@QueryHandler(ReadJobLog)
export class ReadJobLogHandler implements IQueryHandler<ReadJobLog> {
  constructor(private readonly logs: ReflectiveLogs) {}

  execute({ ctx, jobId, unredacted }: ReadJobLog): Promise<FoundLog> {
    return this.logs.readOfJob(jobId, ctx, unredacted);
  }
}
