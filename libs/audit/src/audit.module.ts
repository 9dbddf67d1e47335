import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { GetAuditEventHandler } from './queries/get-audit-event.js';
import { ListAuditEventsHandler } from './queries/list-audit-events.js';
import { ListAuditTrailHandler } from './queries/list-audit-trail.js';
import { ReadAuditStreamHandler } from './queries/read-audit-stream.js';
import { ReadEvidenceHandler } from './queries/read-evidence.js';

/** Handlers of audit; the AuditLog, AuditTrail and ForensicStore they stand on come from the application. */
@Module({
  imports: [CqrsModule],
  providers: [
    GetAuditEventHandler,
    ListAuditEventsHandler,
    ListAuditTrailHandler,
    ReadAuditStreamHandler,
    ReadEvidenceHandler,
  ],
})
export class AuditModule {}
