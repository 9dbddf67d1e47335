import { Inject, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

import { RevocationList, RevocationWatch } from '#lib/access';
import type { EventStore } from '#lib/event-store';

import type { Logger } from '../edge/log.js';
import { outageLog } from '../edge/outage-log.js';
import { EVENT_STORE, LOGGER } from '../platform.tokens.js';
import { RunningParts } from '../running-parts.js';

/** Sees to it, while the process runs, that what others revoke is void here too. */
@Module({})
export class AuthRuntimeModule implements OnModuleInit, OnModuleDestroy {
  private readonly watch: RevocationWatch;

  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(LOGGER) log: Logger,
    revocations: RevocationList,
    running: RunningParts,
  ) {
    const onFault = outageLog(log, {
      fault: 'revocations of other processes cannot be followed, and this is tried again',
      over: 'revocations of other processes are followed again',
    });
    this.watch = new RevocationWatch(store, revocations, onFault);
    running.add(() => this.onModuleDestroy());
  }

  onModuleInit(): void {
    this.watch.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.watch.stop();
  }
}
