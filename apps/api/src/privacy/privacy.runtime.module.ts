import { setTimeout as sleep } from 'node:timers/promises';

import { Global, Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

import { type ArtifactStore, EventLog, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { ActionExecutors, CouncilHolds, Proposals } from '#lib/governance';
import { KeyRing } from '#lib/kernel';
import { AccessTrail, SemWriter } from '#lib/memory';
import { Consents, detect, HeldValues, TextHandling } from '#lib/privacy';
import { inTurns, type Reactor } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import type { Logger } from '../edge/log.js';
import { outageLog } from '../edge/outage-log.js';
import type { Hosting } from '../hosting.js';
import { ARTIFACT_STORE, HOSTING, LOGGER, READ_STORE, SUBJECT_KEY_STORE } from '../platform.tokens.js';
import { Reactors } from '../reactions/reactors.js';
import { RunningParts } from '../running-parts.js';
import { othersJobsIn } from './others-jobs.js';

/** Between putting a value away and asking for it lies one append. */
const ASKED_WITHIN_MS = 60_000;

/** Privacy while the process runs: what waits for the council is written or destroyed, also what a crash left. */
@Global()
@Module({
  providers: [
    {
      provide: TextHandling,
      inject: [Consents, AccessTrail, KeyRing, EventLog],
      useFactory: (consents: Consents, trail: AccessTrail, ring: KeyRing, log: EventLog) =>
        new TextHandling(detect, consents, trail, ring, othersJobsIn(log)),
    },
    {
      provide: HeldValues,
      inject: [SubjectCiphers, SUBJECT_KEY_STORE, ARTIFACT_STORE],
      useFactory: (ciphers: SubjectCiphers, keys: SubjectKeyStore, artifacts: ArtifactStore) =>
        new HeldValues(ciphers, keys, artifacts),
    },
    {
      provide: CouncilHolds,
      inject: [EventLog, Proposals, HeldValues, SemWriter],
      useFactory: (log: EventLog, proposals: Proposals, values: HeldValues, writer: SemWriter) =>
        new CouncilHolds(log, proposals, values, writer),
    },
  ],
  exports: [TextHandling, HeldValues, CouncilHolds],
})
export class PrivacyRuntimeModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly reactor: Reactor;
  private readonly stopping = new AbortController();
  private swept: Promise<void> = Promise.resolve();

  constructor(
    private readonly holds: CouncilHolds,
    writer: SemWriter,
    executors: ActionExecutors,
    reactors: Reactors,
    @Inject(READ_STORE) private readonly documents: ReadStore,
    @Inject(HOSTING) private readonly hosting: Hosting,
    @Inject(LOGGER) private readonly logger: Logger,
    running: RunningParts,
  ) {
    writer.holdIn(holds);
    executors.plug(holds.executor);
    this.reactor = reactors.of(holds.reaction, {
      fault: 'a held value could not be destroyed yet',
      over: 'held values are destroyed again',
    });
    running.add(() => this.onModuleDestroy());
  }

  /** Does not hold up the start: nothing that is left over can be read by anybody. */
  onApplicationBootstrap(): void {
    this.reactor.start();
    if (this.hosting.isHere) this.swept = this.sweep();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.swept;
    await this.reactor.stop();
  }

  private sweep(): Promise<void> {
    const { documents, logger } = this;
    const { lease } = this.hosting;
    const stopping = this.stopping.signal;
    const onFault = outageLog(logger, {
      fault: 'held values that were left behind could not be looked for, and this is tried again',
      over: 'held values that were left behind were looked for',
    });
    return inTurns({ documents, name: 'held-values-sweep', lease, stopping, onFault }, async (signal) => {
      const values = await this.holds.sweep(lease && (() => sleep(ASKED_WITHIN_MS, undefined, { signal })));
      if (values > 0) logger.info({ values }, 'destroyed held values that an earlier process left behind');
    });
  }
}
