import { Global, Module } from '@nestjs/common';

import { AUDIT, AuditIndex, AuditLog, AuditModule, ForensicStore } from '#lib/audit';
import { type ArtifactStore, EventLog, type EventStore } from '#lib/event-store';
import { EventRegistry, KeyRing } from '#lib/kernel';
import { ProjectionHost, ReadModel } from '#lib/projections';
import { Consents } from '#lib/privacy';
import type { ReadStore } from '#lib/read-store';

import { ARTIFACT_STORE, EVENT_STORE, READ_STORE } from '../platform.tokens.js';
import { standingConsents } from './standing-consents.js';

/** The audit of the log, on its read model, and the evidence that is kept beside it. */
@Global()
@Module({
  imports: [AuditModule],
  providers: [
    {
      provide: AuditIndex,
      inject: [READ_STORE, ProjectionHost, EVENT_STORE],
      useFactory: (documents: ReadStore, host: ProjectionHost, events: EventStore) =>
        new AuditIndex(new ReadModel(documents, AUDIT), host, events),
    },
    {
      provide: AuditLog,
      inject: [EventLog, EventRegistry, AuditIndex, Consents],
      useFactory: (log: EventLog, registry: EventRegistry, index: AuditIndex, consents: Consents) =>
        new AuditLog(log, registry, index, standingConsents(log, consents)),
    },
    {
      provide: ForensicStore,
      inject: [EventLog, ARTIFACT_STORE, KeyRing],
      useFactory: (log: EventLog, artifacts: ArtifactStore, ring: KeyRing) => new ForensicStore(log, artifacts, ring),
    },
  ],
  exports: [AuditLog, ForensicStore],
})
export class AuditRuntimeModule {}
