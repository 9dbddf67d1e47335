import { Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

import { EventCodec, type EventStore } from '#lib/event-store';
import { humanReviewReaction, Proposals } from '#lib/governance';
import { Reactor } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { faultShape, type Logger } from '../edge/log.js';
import { EVENT_STORE, LOGGER, READ_STORE } from '../platform.tokens.js';
import { RunningParts } from '../running-parts.js';

/** Brings deadlocks of the answer council into the governance inbox while the process runs. */
@Module({})
export class HumanReviewRuntimeModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly reactor: Reactor;

  constructor(
    proposals: Proposals,
    codec: EventCodec,
    @Inject(EVENT_STORE) events: EventStore,
    @Inject(READ_STORE) documents: ReadStore,
    @Inject(LOGGER) logger: Logger,
    running: RunningParts,
  ) {
    this.reactor = new Reactor(humanReviewReaction(proposals, Date.now), {
      events,
      documents,
      decode: (recorded) => codec.decode(recorded),
      onFault: ({ event_id, attempts, error }) =>
        logger.warn({ ...faultShape(error), event_id, attempts }, 'a review could not be asked for yet'),
    });
    running.add(() => this.onModuleDestroy());
  }

  onApplicationBootstrap(): void {
    this.reactor.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.reactor.stop();
  }
}
