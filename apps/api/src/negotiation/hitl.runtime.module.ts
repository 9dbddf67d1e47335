import { Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

import { EventLog } from '#lib/event-store';
import { hitlReaction, ProposedArtifacts } from '#lib/negotiation';
import type { Reactor } from '#lib/projections';

// A type alone: the library is loaded where somebody is asked.
import type { HitlClient } from '../../../negotiation/src/hitl-client.js';
import type { Config } from '../platform.config.js';
import { CONFIG } from '../platform.tokens.js';
import { Reactors } from '../reactions/reactors.js';
import { RunningParts } from '../running-parts.js';

/** Puts escalated negotiations to the HitlService that MACE_HITL_URL names, and records what it rules. */
@Module({})
export class HitlRuntimeModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly reactor: Reactor | undefined;
  private client: Promise<HitlClient> | undefined;

  constructor(
    @Inject(CONFIG) { hitl }: Config,
    log: EventLog,
    artifacts: ProposedArtifacts,
    reactors: Reactors,
    running: RunningParts,
  ) {
    if (hitl === undefined) return;
    const client = (): Promise<HitlClient> =>
      (this.client ??= import('../../../negotiation/src/hitl-client.js').then((module) => new module.HitlClient(hitl)));
    const reaction = hitlReaction({ log, artifacts, ask: async (one) => (await client()).ask(one), now: Date.now });
    this.reactor = reactors.of(reaction, {
      fault: 'the HitlService of MACE_HITL_URL has not ruled on an escalated negotiation, and is asked again',
      over: 'the HitlService of MACE_HITL_URL rules again',
    });
    running.add(() => this.onModuleDestroy());
  }

  onApplicationBootstrap(): void {
    this.reactor?.start();
  }

  async onModuleDestroy(): Promise<void> {
    const stopped = this.reactor?.stop();
    (await this.client)?.close();
    await stopped;
  }
}
