import { Global, Inject, Module, type OnModuleDestroy } from '@nestjs/common';

import { Authenticator, RevocationList } from '#lib/access';
import { AuditLog } from '#lib/audit';
import type { EventStore } from '#lib/event-store';
import { MerkleLog } from '#lib/proof';

import type { Logger } from '../edge/log.js';
import { outageLog } from '../edge/outage-log.js';
import type { Config } from '../platform.config.js';
import { CONFIG, EVENT_STORE, LOGGER } from '../platform.tokens.js';
import { RunningParts } from '../running-parts.js';
import { EventTail } from './event-tail.js';
import { SseSessions } from './sse-sessions.js';

@Global()
@Module({
  providers: [
    {
      provide: EventTail,
      inject: [EVENT_STORE, AuditLog, MerkleLog, CONFIG, LOGGER],
      useFactory: (store: EventStore, audit: AuditLog, { origin }: MerkleLog, config: Config, logger: Logger) =>
        new EventTail({
          store,
          audit,
          // A log that was moved keeps its name, and has other positions.
          log: `${origin} in ${config.eventStore}`,
          onFault: outageLog(logger, {
            fault: 'the log cannot be followed for live readers, and this is tried again',
            over: 'the log is followed again for live readers',
          }),
        }),
    },
    {
      provide: SseSessions,
      inject: [Authenticator, RevocationList],
      useFactory: (authenticator: Authenticator, revocations: RevocationList) =>
        new SseSessions(authenticator, revocations),
    },
  ],
  exports: [EventTail, SseSessions],
})
class EventTailModule {}

/** The live tail of the log while the process runs; its readers end before requests are no longer taken. */
@Module({ imports: [EventTailModule] })
export class LiveRuntimeModule implements OnModuleDestroy {
  constructor(
    @Inject(EventTail) private readonly tail: EventTail,
    running: RunningParts,
  ) {
    running.add(() => this.onModuleDestroy());
  }

  onModuleDestroy(): Promise<void> {
    return this.tail.stop();
  }
}
