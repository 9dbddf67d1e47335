import { Global, Module } from '@nestjs/common';

import { AuditIndex, AuditLog, AuditModule, AUDIT } from '#lib/audit';
import { EventLog, type EventStore } from '#lib/event-store';
import { EventRegistry } from '#lib/kernel';
import { ProjectionHost, ReadModel } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { EVENT_STORE, READ_STORE } from '../platform.tokens.js';

/** The audit of the log, on its read model. */
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
      inject: [EventLog, EventRegistry, AuditIndex],
      useFactory: (log: EventLog, registry: EventRegistry, index: AuditIndex) => new AuditLog(log, registry, index),
    },
  ],
  exports: [AuditLog],
})
export class AuditRuntimeModule {}
