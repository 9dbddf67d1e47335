import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { GetAuditEventHandler } from './queries/get-audit-event.js';
import { ListAuditEventsHandler } from './queries/list-audit-events.js';
import { ReadAuditStreamHandler } from './queries/read-audit-stream.js';
import { ReadEvidenceHandler } from './queries/read-evidence.js';

/** Handlers of audit; the AuditLog and ForensicStore they stand on come from the application. */
@Module({
  imports: [CqrsModule],
  providers: [GetAuditEventHandler, ListAuditEventsHandler, ReadAuditStreamHandler, ReadEvidenceHandler],
})
export class AuditModule {}
