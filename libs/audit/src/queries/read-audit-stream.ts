import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { AuditLog, type AuditPage, type Looking, type StreamPart } from '../audit-log.js';

/** The events of one stream, a page at a time. */
export class ReadAuditStream extends Query<AuditPage> {
  constructor(
    readonly ctx: CommandContext,
    readonly stream: string,
    readonly page: StreamPart,
    readonly looking: Looking,
  ) {
    super();
  }
}

@QueryHandler(ReadAuditStream)
export class ReadAuditStreamHandler implements IQueryHandler<ReadAuditStream> {
  constructor(private readonly audit: AuditLog) {}

  execute({ ctx, stream, page, looking }: ReadAuditStream): Promise<AuditPage> {
    return this.audit.stream(ctx, stream, page, looking);
  }
}
