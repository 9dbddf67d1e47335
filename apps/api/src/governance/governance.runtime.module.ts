import {
  Global,
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';

import { EventLog } from '#lib/event-store';
import {
  ActionExecution,
  actionRequestsProjection,
  datedRequests,
  GovernanceModule,
  Policies,
  type PolicyForms,
  PolicyWatch,
  Proposals,
  RequestList,
  WindowKeeping,
  Windows,
} from '#lib/governance';
import { ProjectionHost, type Reactor, ReadModel } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { CONFIGURATION } from '../configuration-files.js';
import type { Logger } from '../edge/log.js';
import { outageLog } from '../edge/outage-log.js';
import type { Hosting } from '../hosting.js';
import type { Platform } from '../platform.js';
import { AgentGrants } from '../memory/agent-grants.js';
import type { Config } from '../platform.config.js';
import { CONFIG, HOSTING, LOGGER, READ_STORE } from '../platform.tokens.js';
import { Reactors } from '../reactions/reactors.js';
import { RunningParts } from '../running-parts.js';
import { ADOPTED_POLICIES } from './adopted-policies.js';
import { adoptConfiguration, POLICY_FILES } from './adopt-configuration.js';

const FORMS: PolicyForms = {
  names: POLICY_FILES,
  file: (name) => CONFIGURATION.read(name),
  fault: (name, body) => CONFIGURATION.forms.fault(name, body),
};

@Global()
@Module({
  providers: [
    {
      provide: RequestList,
      inject: [READ_STORE],
      useFactory: (documents: ReadStore) => new RequestList(new ReadModel(documents, actionRequestsProjection)),
    },
  ],
  exports: [RequestList],
})
class RequestListModule {}

/** Governance while the process runs: its policies, due times, and the reactor that carries out what was approved. */
@Module({})
export class GovernanceRuntimeModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly reactor: Reactor;
  private readonly watch: PolicyWatch;
  private readonly keeping: WindowKeeping;

  constructor(
    log: EventLog,
    windows: Windows,
    requests: RequestList,
    host: ProjectionHost,
    policies: Policies,
    execution: ActionExecution,
    reactors: Reactors,
    @Inject(READ_STORE) documents: ReadStore,
    @Inject(HOSTING) { isHere, lease }: Hosting,
    @Inject(CONFIG) { eventStoreDb }: Config,
    @Inject(LOGGER) logger: Logger,
    running: RunningParts,
  ) {
    this.reactor = reactors.of(execution, {
      fault: 'an approved action could not be carried out yet',
      over: 'what was approved is carried out again',
    });
    const onUnfollowed = outageLog(logger, {
      fault: 'what other processes put in force cannot be followed, and is tried again',
      over: 'what other processes put in force is followed again',
    });
    this.watch = new PolicyWatch(log.store, policies, onUnfollowed);
    const onFault = outageLog(logger, {
      fault: 'open requests could not be looked for, and this is tried again',
      over: 'open requests are kept again',
    });
    const keeping = { name: 'governance-windows', isHere, lease, documents, onFault };
    this.keeping = new WindowKeeping({ log, windows, host, dated: datedRequests(requests) }, keeping);
    // Nobody else can append to an embedded log.
    if (eventStoreDb) this.watch.start();
    running.add(() => this.onModuleDestroy());
  }

  static on({ log, spool }: Platform): DynamicModule {
    const onFault = outageLog(log, {
      fault: 'a window or request of governance has a fault',
      over: 'windows and requests of governance go again',
      level: 'warn',
    });
    const governance = GovernanceModule.register({
      forms: FORMS,
      spool,
      onDamage: (fault) =>
        log.error(
          { ...fault },
          'a snapshot is damaged: no job starts or replays on it until it is restored and cleared',
        ),
      onFault: (id, error) => onFault(error, { id }),
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
    this.keeping.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.watch.stop();
    await this.keeping.stop();
    await this.reactor.stop();
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
