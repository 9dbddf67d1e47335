import { Module, type DynamicModule, type FactoryProvider, type InjectionToken, type Type } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { EventLog } from '#lib/event-store';
import { KeyRing } from '#lib/kernel';
import { AccessTrail, type FailureSpool, MemoryFailureSpool, SemWriter } from '#lib/memory';

import { ActionExecution } from './action-execution.js';
import { ActionRequests } from './action-requests.js';
import { ApproveRequestHandler } from './commands/approve-request.js';
import { ClearHaltHandler } from './commands/clear-halt.js';
import { CreateActionRequestHandler } from './commands/create-action-request.js';
import { SignOverrideHandler } from './commands/sign-override.js';
import { VoteOnRequestHandler } from './commands/vote-on-request.js';
import { registeredIn } from './electorate.js';
import { ActionExecutors } from './executors/action-executors.js';
import type { SnapshotFault } from './domain/snapshot-halt.js';
import { haltClearExecutor } from './executors/halt-clear.js';
import { policyExecutor } from './executors/policy-change.js';
import { reviewExecutor } from './executors/review-ruling.js';
import { semExecutors } from './executors/sem-actions.js';
import { HaltClearing } from './halt-clearing.js';
import { hitlExecutor } from './escalated-negotiations.js';
import { Policies, type PolicyForms } from './policies.js';
import { Proposals } from './proposals.js';
import { GetActionRequestHandler } from './queries/get-action-request.js';
import { ListActionRequestsHandler } from './queries/list-action-requests.js';
import { ListGovernanceEventsHandler } from './queries/list-governance-events.js';
import { ListHaltsHandler } from './queries/list-halts.js';
import { Snapshots } from './snapshots.js';
import { TextScreen } from './text-screen.js';
import { Windows } from './windows.js';

/** What governance is wired with besides EventLog, KeyRing, SemWriter, RequestList, HaltList and ReviewedJobs, which it is given by Nest. */
export interface GovernanceOptions {
  readonly forms: PolicyForms;
  /** Told of a window that could not be closed; it is tried again. */
  readonly onFault: (requestId: string, error: unknown) => void;
  /** Told of a snapshot that was found damaged; it is halted by then. */
  readonly onDamage?: (fault: SnapshotFault) => void;
  readonly spool?: FailureSpool;
}

const HANDLERS = [
  CreateActionRequestHandler,
  VoteOnRequestHandler,
  ApproveRequestHandler,
  ClearHaltHandler,
  SignOverrideHandler,
  GetActionRequestHandler,
  ListActionRequestsHandler,
  ListGovernanceEventsHandler,
  ListHaltsHandler,
];
const EXPORTS = [
  Snapshots,
  Policies,
  Proposals,
  ActionExecutors,
  ActionExecution,
  ActionRequests,
  HaltClearing,
  TextScreen,
  Windows,
];

/** Governance's place in a Nest application. */
@Module({})
export class GovernanceModule {
  static register({ forms, onFault, onDamage, spool = new MemoryFailureSpool() }: GovernanceOptions): DynamicModule {
    return {
      module: GovernanceModule,
      imports: [CqrsModule],
      providers: [
        ...HANDLERS,
        given(Snapshots, [EventLog, KeyRing], (log: EventLog, ring: KeyRing) => new Snapshots(log, ring, onDamage)),
        given(
          Policies,
          [EventLog, Snapshots],
          (log: EventLog, snapshots: Snapshots) => new Policies(log, snapshots, forms, registeredIn(log)),
        ),
        given(ActionExecutors, [SemWriter, Policies, EventLog, Snapshots], executorsOf),
        given(
          TextScreen,
          [KeyRing, EventLog],
          (ring: KeyRing, log: EventLog) => new TextScreen(ring, new AccessTrail(log, spool)),
        ),
        given(ActionRequests, [EventLog, TextScreen], (log: EventLog, screen: TextScreen) => {
          const requests: ActionRequests = new ActionRequests(log, screen, () => windows);
          const windows = new Windows((id) => requests.close(id, Date.now()), onFault);
          return requests;
        }),
        given(Windows, [ActionRequests], (requests: ActionRequests) => requests.windows()),
        given(
          Proposals,
          [EventLog, KeyRing, Policies, ActionExecutors, TextScreen, Windows],
          (
            log: EventLog,
            ring: KeyRing,
            policies: Policies,
            executors: ActionExecutors,
            screen: TextScreen,
            windows: Windows,
          ) => new Proposals(log, ring, policies, executors, screen, windows),
        ),
        given(
          HaltClearing,
          [EventLog, Snapshots, Proposals],
          (log: EventLog, snapshots: Snapshots, proposals: Proposals) => new HaltClearing(log, snapshots, proposals),
        ),
        given(
          ActionExecution,
          [EventLog, ActionExecutors],
          (log: EventLog, executors: ActionExecutors) =>
            new ActionExecution(log, executors, (error) => onFault(error.stream, error)),
        ),
      ],
      exports: EXPORTS,
    };
  }
}

/** What governance itself carries out; other libraries plug in theirs. */
export function executorsOf(
  writer: SemWriter,
  policies: Policies,
  log: EventLog,
  snapshots: Snapshots,
): ActionExecutors {
  const executors = new ActionExecutors();
  const own = [policyExecutor(policies), reviewExecutor(log), hitlExecutor(log), haltClearExecutor(snapshots)];
  for (const executor of [...semExecutors(writer), ...own]) executors.plug(executor);
  return executors;
}

function given<T>(
  provide: Type<T>,
  inject: InjectionToken[],
  // Nest hands the injected in their order; their types are the classes'.
  useFactory: (...injected: never[]) => T,
): FactoryProvider<T> {
  return { provide, inject, useFactory: useFactory as FactoryProvider<T>['useFactory'] };
}
