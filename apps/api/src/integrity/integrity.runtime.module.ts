import { Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

import { retiredKeys } from '#lib/access';
import { type ArtifactStore, EventLog, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import { Findings, IntegrityRecord, Verifications } from '#lib/integrity';
import { BesideLog, LogIndex } from '#lib/jobs';
import { EventRegistry, KeyRing } from '#lib/kernel';
import { workUnderWay } from '#lib/projections';
import { MerkleLog } from '#lib/proof';
import type { ReadStore } from '#lib/read-store';

import { faultShape, type Logger } from '../edge/log.js';
import type { Hosting } from '../hosting.js';
import type { Config } from '../platform.config.js';
import { ARTIFACT_STORE, CONFIG, HOSTING, LOGGER, READ_STORE, SUBJECT_KEY_STORE } from '../platform.tokens.js';
import { SignedEvents } from '../reactions/signed-events.js';
import { RunningParts } from '../running-parts.js';
import { lookersOn } from './lookers.js';
import { jobQuarantine, snapshotQuarantine } from './quarantines.js';
import { integrityRules } from './rules.js';
import { signedTree } from './signed-tree.js';

/** Integrity walks over the log of this process. */
@Module({
  providers: [
    { provide: IntegrityRecord, inject: [EventLog], useFactory: (log: EventLog) => new IntegrityRecord(log) },
    {
      provide: Findings,
      inject: [IntegrityRecord, EventLog, BesideLog, LogIndex, Snapshots, LOGGER],
      useFactory: (
        record: IntegrityRecord,
        log: EventLog,
        beside: BesideLog,
        index: LogIndex,
        snapshots: Snapshots,
        logger: Logger,
      ) =>
        new Findings(record, [jobQuarantine(log, beside, index), snapshotQuarantine(snapshots)], (error) =>
          logger.error(faultShape(error), 'what an integrity walk found could not be recorded or quarantined'),
        ),
    },
    {
      provide: Verifications,
      inject: [
        EventLog,
        KeyRing,
        SubjectCiphers,
        EventRegistry,
        CONFIG,
        IntegrityRecord,
        Findings,
        Snapshots,
        ARTIFACT_STORE,
        SUBJECT_KEY_STORE,
        READ_STORE,
        HOSTING,
        MerkleLog,
        LOGGER,
        RunningParts,
      ],
      useFactory: verificationsOf,
    },
  ],
  exports: [Verifications],
})
export class IntegrityRuntimeModule implements OnModuleInit, OnModuleDestroy {
  constructor(
    private readonly verifications: Verifications,
    private readonly findings: Findings,
    private readonly log: MerkleLog,
    private readonly signed: SignedEvents,
  ) {}

  /**
   * No walk finds what a witness has seen, and none need be waited for where somebody has written an erasure: it is on
   * record, and alerted, as soon as it is met.
   */
  onModuleInit(): void {
    this.log.onFalseErasure(({ stream, revision, position, reason, isUnsigned }) =>
      this.findings.take([{ detector: isUnsigned ? 'signature' : 'form', stream, revision, position, reason }]),
    );
    this.log.onUnsigned((row) => this.findings.take([{ detector: 'signature', ...row }]));
    this.signed.onMet((event) => this.findings.take([{ detector: 'signature', ...event }]));
    this.log.onContradiction(({ reason, size }) =>
      this.findings.take([{ detector: 'witness', stream: null, revision: null, position: String(size), reason }]),
    );
  }

  async onModuleDestroy(): Promise<void> {
    await this.verifications.stop();
  }
}

function verificationsOf(
  log: EventLog,
  ring: KeyRing,
  ciphers: SubjectCiphers,
  registry: EventRegistry,
  { dataDir }: Config,
  record: IntegrityRecord,
  findings: Findings,
  snapshots: Snapshots,
  artifacts: ArtifactStore,
  keys: SubjectKeyStore,
  documents: ReadStore,
  { lease }: Hosting,
  proof: MerkleLog,
  logger: Logger,
  running: RunningParts,
): Verifications {
  const onTrouble = (error: unknown): void => logger.error(faultShape(error), 'an integrity walk met a fault');
  const verifications = new Verifications({
    store: log.store,
    ring,
    ciphers,
    rules: async () => integrityRules(registry, await retiredKeys(log, 'event-hmac')),
    folder: dataDir,
    record,
    findings,
    lookers: lookersOn(log, snapshots, artifacts, keys),
    proof: signedTree(proof, log.store),
    now: Date.now,
    underWay: workUnderWay(documents, 'integrity-walks', lease, onTrouble),
    onTrouble,
  });
  running.add(() => verifications.stop());
  return verifications;
}
