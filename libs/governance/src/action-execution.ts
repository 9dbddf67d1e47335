import { type EventLog, IntegrityError, type LoggedEvent } from '#lib/event-store';
import { MaceError, reactionSeed, type DomainEvent, type Provenance } from '#lib/kernel';

import { REQUEST_FOLD } from './action-requests.js';
import { actionEvent, type ActionApproved, type ActionRequested } from './domain/action-requests.events.js';
import type { ActionExecutors } from './executors/action-executors.js';
import { proposalOf } from './request-view.js';

/** What a reactor hands on of an event: enough to find it. */
export type ApprovalEvent = Pick<LoggedEvent, 'type' | 'stream'>;

const REACTOR = 'action-executor';

/**
 * Carries out what was approved, once (spec/decisions.md, "Governance"): the reaction to ACTION_APPROVED, whoever
 * follows the log for it. It may be asked as often as one likes: effects have ids that follow from the approval's
 * event_id, and ACTION_EXECUTED is appended only where it does not stand yet.
 */
export class ActionExecution {
  /** Name of the reactor, and of its seeds. */
  readonly name = REACTOR;
  readonly types = ['ACTION_APPROVED'];

  /** @param onTampered told of an approved request that does not verify: it is left, and nothing of it is done */
  constructor(
    private readonly log: EventLog,
    private readonly executors: ActionExecutors,
    private readonly onTampered: (error: IntegrityError) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws what a store throws, and MaceError from 500 on: then it is to be asked again */
  async react({ stream }: ApprovalEvent): Promise<void> {
    try {
      await this.execute(stream);
    } catch (error) {
      if (!(error instanceof IntegrityError) || error.stream !== stream) throw error;
      this.onTampered(error);
    }
  }

  private async execute(stream: string): Promise<void> {
    const { events } = await this.log.load(stream, { personal: 'plain' });
    const approval = events.find(({ type }) => type === 'ACTION_APPROVED');
    if (!approval || events.some(isExecution)) return;
    const { outcome, index } = await this.carryOut(events[0]!.data as unknown as ActionRequested, approval);
    await this.log.execute({
      stream,
      fold: REQUEST_FOLD,
      provenance: provenanceAfter(approval, index),
      decide: ({ execution }) => (execution === null ? [outcome] : []),
    });
  }

  private async carryOut(
    requested: ActionRequested,
    event: LoggedEvent,
  ): Promise<{ readonly outcome: DomainEvent; readonly index: number }> {
    const approval = event.data as unknown as ActionApproved;
    const { request_id, action } = requested;
    const about = { request_id, action, approval_event_id: event.metadata.event_id };
    const now = this.now();
    const at = new Date(now).toISOString();
    try {
      const { events, result } = await this.executed(requested, approval, event, now);
      return { outcome: actionEvent('ACTION_EXECUTED', { ...about, result, executed_at: at }), index: events };
    } catch (error) {
      const { error_code, reason } = finalFault(error);
      return { outcome: actionEvent('ACTION_FAILED', { ...about, error_code, reason, failed_at: at }), index: 0 };
    }
  }

  private executed(requested: ActionRequested, approval: ActionApproved, event: LoggedEvent, now: number) {
    const executor = this.executors.executorOf(requested.action);
    if (!executor) throw new MaceError('CONFLICT', `nothing here carries out ${requested.action}`);
    const proposal = proposalOf(requested);
    if (!proposal) throw new MaceError('CONFLICT', 'a part of the proposal was erased before it was carried out');
    return executor.execute({
      requestId: requested.request_id,
      action: requested.action,
      payload: proposal.payload,
      requested,
      approval,
      now,
      provenance: (n) => provenanceAfter(event, n),
    });
  }
}

function isExecution({ type }: { readonly type: string }): boolean {
  return type === 'ACTION_EXECUTED' || type === 'ACTION_FAILED';
}

function provenanceAfter({ metadata }: LoggedEvent, sequenceIndex: number): Provenance {
  const jobSeed = reactionSeed(REACTOR, metadata.event_id);
  return {
    jobSeed,
    sequenceIndex,
    actor: { id: 'system', role: 'system' },
    traceId: metadata.trace_id,
    causationId: metadata.event_id,
  };
}

/** What trying again could not mend; everything else is thrown on. */
function finalFault(error: unknown): { readonly error_code: string; readonly reason: string } {
  if (error instanceof MaceError && error.status < 500) {
    return { error_code: error.code, reason: error.developerMessage };
  }
  // A mistake of ours must not hold up what others are waiting for; it stands in the request.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) {
    return { error_code: 'AGENT_ERROR', reason: `a fault inside the executor: ${error.name}` };
  }
  throw error;
}
