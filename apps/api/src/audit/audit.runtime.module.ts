import { Global, Module } from '@nestjs/common';

import { AuditIndex, AuditLog, AuditModule, ForensicStore } from '#lib/audit';
import { type ArtifactStore, EventLog } from '#lib/event-store';
import { EventRegistry, KeyRing } from '#lib/kernel';
import { Consents } from '#lib/privacy';
import { ProofLog } from '#lib/proof';

import { ARTIFACT_STORE } from '../platform.tokens.js';
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
      provide: ForensicStore,
      inject: [EventLog, ARTIFACT_STORE, KeyRing, Consents],
      useFactory: (log: EventLog, artifacts: ArtifactStore, ring: KeyRing, consents: Consents) =>
        new ForensicStore(log, artifacts, ring, standingConsents(log, consents)),
    },
  ],
  exports: [AuditLog, ForensicStore],
})
export class AuditRuntimeModule {}
