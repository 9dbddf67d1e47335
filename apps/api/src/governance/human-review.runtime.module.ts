import { Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

import { EventLog, type IntegrityError } from '#lib/event-store';
import { escalationReaction, humanReviewReaction, Proposals, type ReviewRuling, rulingReaction } from '#lib/governance';
import { ReflectiveLogs } from '#lib/jobs';
import { MaceError, type Provenance } from '#lib/kernel';
import type { Reaction, Reactor } from '#lib/projections';

import type { Logger } from '../edge/log.js';
import { LOGGER } from '../platform.tokens.js';
import { Reactors } from '../reactions/reactors.js';
import { RunningParts } from '../running-parts.js';

/**
 * While the process runs: brings deadlocks of the answer council into the governance inbox, and what people decide of
 * them back beside the job's log.
 */
@Module({})
export class HumanReviewRuntimeModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly reactors: readonly Reactor[];

  constructor(
    proposals: Proposals,
    private readonly logs: ReflectiveLogs,
    log: EventLog,
    reactors: Reactors,
    @Inject(LOGGER) private readonly logger: Logger,
    running: RunningParts,
  ) {
    const follow = (reaction: Reaction, fault: string): Reactor =>
      reactors.of(reaction, { fault, over: 'reviews are asked for and ruled on again' });
    const onTampered = ({ stream }: IntegrityError): void =>
      logger.error({ stream }, 'a ruling was not recorded: what it is about does not verify');
    const ruled = rulingReaction(log, (ruling, provenance) => this.deliver(ruling, provenance), onTampered);
    this.reactors = [
      follow(humanReviewReaction(proposals, Date.now), 'a review could not be asked for yet'),
      follow(escalationReaction(proposals, Date.now), 'an escalated negotiation is not in the inbox yet'),
      follow(ruled, 'a ruling could not be recorded yet'),
    ];
    running.add(() => this.onModuleDestroy());
  }

  onApplicationBootstrap(): void {
    for (const reactor of this.reactors) reactor.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.reactors.map((reactor) => reactor.stop()));
  }

  /** A person may ask for the review of a job that there is not: nothing is recorded of it, and it holds up no other. */
  private async deliver(ruling: ReviewRuling, provenance: Provenance): Promise<void> {
    try {
      await this.logs.rule(ruling, provenance);
    } catch (error) {
      if (!(error instanceof MaceError && error.code === 'NOT_FOUND')) throw error;
      this.logger.warn({ request: ruling.request_id }, 'a ruling is on a job that is not there');
    }
  }
}
