import { Inject, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';

import { EventLog } from '#lib/event-store';
import { IdentityRegistry, loadWorldFacts, MemoryModule, readWorldFacts, SemWriter } from '#lib/memory';

import type { Logger } from '../edge/log.js';
import type { Platform } from '../platform.js';
import { LOGGER } from '../platform.tokens.js';
import { AgentGrants } from './agent-grants.js';

/** Memory on the platform; at the first start it is given the facts of the world. */
@Module({})
export class MemoryRuntimeModule implements OnModuleInit {
  constructor(
    private readonly log: EventLog,
    private readonly writer: SemWriter,
    private readonly identities: IdentityRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  static on(platform: Platform): DynamicModule {
    const grants = new AgentGrants();
    const memory = MemoryModule.register({
      agents: grants.current,
      readStore: platform.readStore,
      spool: platform.spool,
      consents: platform.consents,
    });
    return {
      module: MemoryRuntimeModule,
      global: true,
      imports: [memory],
      providers: [{ provide: AgentGrants, useValue: grants }],
      exports: [memory, AgentGrants],
    };
  }

  async onModuleInit(): Promise<void> {
    const { loaded } = await loadWorldFacts(this.log, this.writer, this.identities, readWorldFacts(), Date.now());
    if (loaded > 0) this.logger.info({ facts: loaded }, 'gave memory the facts of the world');
  }
}
