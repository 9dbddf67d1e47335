import {
  Global,
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';

import type { EventStore } from '#lib/event-store';
import {
  ActionExecution,
  actionRequestsProjection,
  GovernanceModule,
  Policies,
  type PolicyForms,
  Proposals,
  RequestList,
  Windows,
} from '#lib/governance';
import { MaceError } from '#lib/kernel';
import { ProjectionHost, Reactor, ReadModel } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { CONFIGURATION } from '../configuration-files.js';
import type { Logger } from '../edge/log.js';
import type { Platform } from '../platform.js';
import { AgentGrants } from '../memory/agent-grants.js';
import { EVENT_STORE, LOGGER, READ_STORE } from '../platform.tokens.js';
import { SignedEvents } from '../reactions/signed-events.js';
import { RunningParts } from '../running-parts.js';
import { ADOPTED_POLICIES } from './adopted-policies.js';
import { adoptConfiguration, POLICY_FILES } from './adopt-configuration.js';

const FORMS: PolicyForms = {
  names: POLICY_FILES,
  file: (name) => CONFIGURATION.read(name),
  fault: (name, body) => CONFIGURATION.forms.fault(name, body),
};
const CATCH_UP_MS = 600_000;

@Global()
@Module({
  providers: [
    {
      provide: RequestList,
      inject: [READ_STORE, ProjectionHost],
      useFactory: (documents: ReadStore, host: ProjectionHost) =>
        new RequestList(
          new ReadModel(documents, actionRequestsProjection),
          () => host.runner(actionRequestsProjection.name).status.position ?? '0',
        ),
    },
  ],
  exports: [RequestList],
})
class RequestListModule {}

/** Governance while the process runs: its policies, due times, and the reactor that carries out what was approved. */
@Module({})
export class GovernanceRuntimeModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly reactor: Reactor;

  constructor(
    private readonly windows: Windows,
    private readonly requests: RequestList,
    private readonly host: ProjectionHost,
    execution: ActionExecution,
    signed: SignedEvents,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(READ_STORE) documents: ReadStore,
    @Inject(LOGGER) private readonly logger: Logger,
    running: RunningParts,
  ) {
    this.reactor = new Reactor(execution, {
      events,
      documents,
      open: signed.open,
      onTampered: signed.tell,
      onFault: ({ event_id, attempts, error }) =>
        logger.warn({ event_id, attempts, error: kindOf(error) }, 'an approved action could not be carried out yet'),
    });
    running.add(() => this.onModuleDestroy());
  }

  static on({ log, spool }: Platform): DynamicModule {
    const governance = GovernanceModule.register({
      forms: FORMS,
      spool,
      onDamage: (fault) =>
        log.error(
          { ...fault },
          'a snapshot is damaged: no job starts or replays on it until it is restored and cleared',
        ),
      onFault: (id, error) => log.warn({ id, error: kindOf(error) }, 'a window or request of governance has a fault'),
    });
    return {
      module: GovernanceRuntimeModule,
      global: true,
      imports: [RequestListModule, governance],
      providers: [
        {
          provide: ADOPTED_POLICIES,
          inject: [Policies, Proposals, AgentGrants, LOGGER],
          useFactory: adopted,
        },
      ],
      exports: [governance, ADOPTED_POLICIES],
    };
  }

  /** Once every library has plugged in its executors. */
  onApplicationBootstrap(): void {
    this.reactor.start();
    this.recover().catch((error: unknown) =>
      this.logger.error({ error: kindOf(error) }, 'open requests could not be looked for'),
    );
  }

  async onModuleDestroy(): Promise<void> {
    await this.windows.stop();
    await this.reactor.stop();
  }

  /** Every due time that an earlier process left; what is over is closed at once. */
  private async recover(): Promise<void> {
    await this.host.waitFor(await this.events.head(), [actionRequestsProjection.name], CATCH_UP_MS);
    for await (const { id, closesAt } of this.requests.open()) this.windows.add(id, closesAt);
  }
}

async function adopted(
  policies: Policies,
  proposals: Proposals,
  grants: AgentGrants,
  logger: Logger,
): Promise<Policies> {
  for (const adoption of await adoptConfiguration(CONFIGURATION, policies, proposals, Date.now())) {
    if (adoption.outcome === 'proposed') {
      logger.warn(adoption, 'a file waits for the council: what it says is not in force');
    } else if (adoption.change.from_snapshot_id !== null) {
      logger.info({ ...adoption.change }, 'a changed file is in force');
    }
  }
  await grants.follow(policies);
  return policies;
}

function kindOf(error: unknown): string {
  return error instanceof MaceError ? error.code : error instanceof Error ? error.name : 'unknown';
}
