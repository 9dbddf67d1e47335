import { Global, Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

import { type ArtifactStore, EventLog, type EventStore, SubjectCiphers, type SubjectKeyStore } from '#lib/event-store';
import { ActionExecutors, CouncilHolds, Proposals } from '#lib/governance';
import { KeyRing } from '#lib/kernel';
import { AccessTrail, SemWriter } from '#lib/memory';
import { Consents, detect, HeldValues, TextHandling } from '#lib/privacy';
import { Reactor } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { faultShape, type Logger } from '../edge/log.js';
import { ARTIFACT_STORE, EVENT_STORE, LOGGER, READ_STORE, SUBJECT_KEY_STORE } from '../platform.tokens.js';
import { SignedEvents } from '../reactions/signed-events.js';
import { RunningParts } from '../running-parts.js';

/** Privacy while the process runs: what waits for the council is written or destroyed, also what a crash left. */
@Global()
@Module({
  providers: [
    {
      provide: TextHandling,
      inject: [Consents, AccessTrail, KeyRing],
      useFactory: (consents: Consents, trail: AccessTrail, ring: KeyRing) =>
        new TextHandling(detect, consents, trail, ring),
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
  private swept: Promise<void> = Promise.resolve();

  constructor(
    private readonly holds: CouncilHolds,
    writer: SemWriter,
    executors: ActionExecutors,
    signed: SignedEvents,
    @Inject(EVENT_STORE) events: EventStore,
    @Inject(READ_STORE) documents: ReadStore,
    @Inject(LOGGER) private readonly logger: Logger,
    running: RunningParts,
  ) {
    writer.holdIn(holds);
    executors.plug(holds.executor);
    this.reactor = new Reactor(holds.reaction, {
      events,
      documents,
      open: signed.open,
      onTampered: signed.tell,
      onFault: ({ event_id, attempts, error }) =>
        logger.warn({ ...faultShape(error), event_id, attempts }, 'a held value could not be destroyed yet'),
    });
    running.add(() => this.onModuleDestroy());
  }

  /** Does not hold up the start: nothing that is left over can be read by anybody. */
  onApplicationBootstrap(): void {
    this.reactor.start();
    this.swept = this.sweep();
  }

  async onModuleDestroy(): Promise<void> {
    await this.swept;
    await this.reactor.stop();
  }

  private async sweep(): Promise<void> {
    try {
      const values = await this.holds.sweep();
      if (values > 0) this.logger.info({ values }, 'destroyed held values that an earlier process left behind');
    } catch (error) {
      this.logger.error(faultShape(error), 'held values that were left behind could not be looked for');
    }
  }
}
