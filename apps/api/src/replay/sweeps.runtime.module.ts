import { Module, type OnModuleDestroy } from '@nestjs/common';

import { EventLog, SubjectCiphers } from '#lib/event-store';
import { UnreplayableJobs, unreplayableProjection } from '#lib/jobs';
import { KeyRing } from '#lib/kernel';
import { ProofLog } from '#lib/proof';
import { ReadModel, workUnderWay } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';
import { Replays, Sweeps } from '#lib/replay';

import { faultShape, type Logger } from '../edge/log.js';
import type { Hosting } from '../hosting.js';
import type { Config } from '../platform.config.js';
import { CONFIG, HOSTING, LOGGER, READ_STORE } from '../platform.tokens.js';
import { RunningParts } from '../running-parts.js';
import { ReplayRuntimeModule, reviewsBroughtTo } from './replay.runtime.module.js';
import { SweptLog, sweptLogOf } from './sweeps.provider.js';

/** Sweeps of replays over the log of this process. */
@Module({
  imports: [ReplayRuntimeModule],
  providers: [
    {
      provide: SweptLog,
      inject: [EventLog, KeyRing, SubjectCiphers, ProofLog, Replays, READ_STORE, HOSTING, CONFIG, LOGGER],
      useFactory: sweptLog,
    },
    { provide: Sweeps, inject: [SweptLog], useFactory: ({ sweeps }: SweptLog) => sweeps },
  ],
  exports: [Sweeps],
})
export class SweepsRuntimeModule implements OnModuleDestroy {
  constructor(
    private readonly swept: SweptLog,
    running: RunningParts,
  ) {
    running.add(() => this.onModuleDestroy());
  }

  async onModuleDestroy(): Promise<void> {
    await this.swept.close();
  }
}

function sweptLog(
  log: EventLog,
  ring: KeyRing,
  ciphers: SubjectCiphers,
  proof: ProofLog,
  replays: Replays,
  documents: ReadStore,
  { lease }: Hosting,
  { dataDir }: Config,
  logger: Logger,
): SweptLog {
  const onTrouble = (error: unknown): void => logger.error(faultShape(error), 'a sweep of replays met a fault');
  const unreplayable = new UnreplayableJobs(new ReadModel(documents, unreplayableProjection));
  return sweptLogOf({
    log,
    ring,
    ciphers,
    proof,
    replays,
    reviews: { broughtTo: () => reviewsBroughtTo(documents) },
    dataDir,
    listed: () => unreplayable.listed(),
    underWay: workUnderWay(documents, 'replay-sweeps', lease, onTrouble),
    onTrouble,
  });
}
