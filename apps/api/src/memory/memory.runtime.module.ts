import { Inject, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';

import { EventLog } from '#lib/event-store';
import { loadWorldFacts, MemoryModule, parseAgentGrants, readWorldFacts, SemWriter } from '#lib/memory';

import { configFile } from '../configuration-files.js';
import type { Logger } from '../edge/log.js';
import type { Platform } from '../platform.js';
import { LOGGER } from '../platform.tokens.js';

/** Memory on the platform; at the first start it is given the facts of the world. */
@Module({})
export class MemoryRuntimeModule implements OnModuleInit {
  constructor(
    private readonly log: EventLog,
    private readonly writer: SemWriter,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  static on(platform: Platform): DynamicModule {
    const memory = MemoryModule.register({
      agents: parseAgentGrants(configFile('agents_allowed_writes')),
      readStore: platform.readStore,
    });
    return { module: MemoryRuntimeModule, global: true, imports: [memory], exports: [memory] };
  }

  async onModuleInit(): Promise<void> {
    const { loaded } = await loadWorldFacts(this.log, this.writer, readWorldFacts(), Date.now());
    if (loaded > 0) this.logger.info({ facts: loaded }, 'gave memory the facts of the world');
  }
}
