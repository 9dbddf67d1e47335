import { Inject, Module, type OnModuleDestroy } from '@nestjs/common';

import { EventCodec, EventLog, type EventStore } from '#lib/event-store';
import { incidentReaction } from '#lib/incidents';
import { Reactor, type ReactorFault } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { faultShape, type Logger } from '../edge/log.js';
import { EVENT_STORE, LOGGER, READ_STORE } from '../platform.tokens.js';
import { RunningParts } from '../running-parts.js';

/** Opens incidents while the process runs, and for what happened while none did. */
@Module({
  providers: [
    {
      provide: Reactor,
      inject: [EventLog, EventCodec, EVENT_STORE, READ_STORE, LOGGER, RunningParts],
      useFactory: (
        log: EventLog,
        codec: EventCodec,
        events: EventStore,
        documents: ReadStore,
        logger: Logger,
        running: RunningParts,
      ) => {
        const onFault = ({ reactor, event_id, attempts, error }: ReactorFault): void =>
          logger.warn({ ...faultShape(error), reactor, event_id, attempts }, 'a reaction failed and is tried again');
        const decode = codec.decode.bind(codec);
        const reactor = new Reactor(incidentReaction(log), { events, documents, decode, onFault });
        running.add(() => reactor.stop());
        reactor.start();
        return reactor;
      },
    },
  ],
  exports: [Reactor],
})
export class IncidentsRuntimeModule implements OnModuleDestroy {
  constructor(@Inject(Reactor) private readonly reactor: Reactor) {}

  async onModuleDestroy(): Promise<void> {
    await this.reactor.stop();
  }
}
