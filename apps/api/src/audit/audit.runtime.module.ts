import { Global, Module } from '@nestjs/common';

import { AuditIndex, AuditLog, AuditModule, auditProjection, AuditTrail, ForensicStore } from '#lib/audit';
import { type ArtifactStore, EventLog } from '#lib/event-store';
import { EventRegistry, KeyRing } from '#lib/kernel';
import { Consents } from '#lib/privacy';
import { ReadModel } from '#lib/projections';
import { ProofLog } from '#lib/proof';
import type { ReadStore } from '#lib/read-store';

import { ARTIFACT_STORE, READ_STORE } from '../platform.tokens.js';
import { standingConsents } from './standing-consents.js';

/** The audit of the log, by the places that the Merkle log knows, and the evidence that is kept beside it. */
@Global()
@Module({
  imports: [AuditModule],
  providers: [
    {
      provide: AuditIndex,
      inject: [ProofLog, EventLog],
      useFactory: (proofs: ProofLog, log: EventLog) => new AuditIndex(proofs, log),
    },
    {
      provide: AuditLog,
      inject: [EventLog, EventRegistry, AuditIndex, Consents],
      useFactory: (log: EventLog, registry: EventRegistry, index: AuditIndex, consents: Consents) =>
        new AuditLog(log, registry, index, standingConsents(log, consents)),
    },
    {
      provide: AuditTrail,
      inject: [READ_STORE],
      useFactory: (documents: ReadStore) => new AuditTrail(new ReadModel(documents, auditProjection)),
    },
    {
      provide: ForensicStore,
      inject: [EventLog, ARTIFACT_STORE, KeyRing, Consents],
      useFactory: (log: EventLog, artifacts: ArtifactStore, ring: KeyRing, consents: Consents) =>
        new ForensicStore(log, artifacts, ring, standingConsents(log, consents)),
    },
  ],
  exports: [AuditLog, AuditTrail, ForensicStore],
})
export class AuditRuntimeModule {}
