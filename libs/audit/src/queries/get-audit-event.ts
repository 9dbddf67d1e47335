import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import type { AuditEvent } from '../audit-event.js';
import { AuditLog, type Looking } from '../audit-log.js';

/** One event by its id (seed 000, GET /audit/event/{event_id}). */
export class GetAuditEvent extends Query<AuditEvent> {
  constructor(
    readonly ctx: CommandContext,
    readonly eventId: string,
    readonly looking: Looking,
  ) {
    super();
  }
}

@QueryHandler(GetAuditEvent)
export class GetAuditEventHandler implements IQueryHandler<GetAuditEvent> {
  constructor(private readonly audit: AuditLog) {}

  execute({ ctx, eventId, looking }: GetAuditEvent): Promise<AuditEvent> {
    return this.audit.event(ctx, eventId, looking);
  }
}
