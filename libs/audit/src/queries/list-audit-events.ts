import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import type { AuditFilter } from '../audit-index.js';
import { AuditLog, type AuditPage, type Looking } from '../audit-log.js';

/** Events of the log in its order, a page at a time. */
export class ListAuditEvents extends Query<AuditPage> {
  constructor(
    readonly ctx: CommandContext,
    readonly filter: AuditFilter,
    readonly looking: Looking,
  ) {
    super();
  }
}

@QueryHandler(ListAuditEvents)
export class ListAuditEventsHandler implements IQueryHandler<ListAuditEvents> {
  constructor(private readonly audit: AuditLog) {}

  execute({ ctx, filter, looking }: ListAuditEvents): Promise<AuditPage> {
    return this.audit.events(ctx, filter, looking);
  }
}
