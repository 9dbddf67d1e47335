import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { GetAuditEventHandler } from './queries/get-audit-event.js';
import { ListAuditEventsHandler } from './queries/list-audit-events.js';
import { ReadAuditStreamHandler } from './queries/read-audit-stream.js';

/** Handlers of audit; the AuditLog they stand on comes from the application. */
@Module({
  imports: [CqrsModule],
  providers: [GetAuditEventHandler, ListAuditEventsHandler, ReadAuditStreamHandler],
})
export class AuditModule {}
