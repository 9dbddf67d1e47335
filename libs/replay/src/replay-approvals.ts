import type { CommandContext } from '#lib/access';
import { DifferentBodyError, type EventLog, VersionConflictError } from '#lib/event-store';
import {
  type ActionApproved,
  type ActionExecutor,
  actionRequestStream,
  type ActionRequested,
  type Proposals,
  requestId,
  type RequestView,
} from '#lib/governance';
import { failure, MaceError, reactionSeed, type JsonObject } from '#lib/kernel';

export const FORCE_CONTINUE_ACTION = 'force_continue';
export const PRODUCTION_REPLAY_ACTION = 'production_replay';

/** What every job's id looks like (spec/kernel.md, "Ids"). */
export const JOB_ID_FORM = /^job:[0-9a-f]{32}$/;
const REQUEST_ID_FORM = /^ar-[0-9a-f]{32}$/;

/** The difference that somebody wants to go on past. */
export interface StoppedAt {
  readonly replay_id: string;
  readonly job_id: string;
  readonly event_number: number;
  readonly event_type: string;
  /** event_id of the REPLAY_DIVERGENCE. */
  readonly divergence_event_id: string;
  /** sha256 of that event as stored. */
  readonly divergence_digest: string;
}

export interface CouncilApproval {
  readonly action_request_id: string;
  readonly proposal_digest: string;
  readonly approvals: readonly string[];
  readonly approved_at: string;
}

/** A production replay that somebody asks for who may not order one alone. */
interface ProductionAsked {
  readonly id: string | undefined;
  readonly job_id: string;
  readonly replay_id: string;
}

/** What replays need the council's word for (seed 002 sections 7 and 10). */
export class ReplayApprovals {
  /** Payloads that are being asked for here, by their divergence_digest: nobody asks for a force-continue in other words. */
  private readonly underway = new Map<string, Promise<unknown>>();

  constructor(
    private readonly log: EventLog,
    private readonly proposals: Proposals,
  ) {}

  /** The approval itself is what was asked for: whoever goes on looks it up. */
  get executors(): readonly ActionExecutor[] {
    const execute = (): Promise<{ events: number; result: JsonObject }> => Promise.resolve({ events: 0, result: {} });
    return [
      {
        action: FORCE_CONTINUE_ACTION,
        check: ({ divergence_digest }) => {
          if (this.underway.has(divergence_digest as string)) return;
          throw new MaceError('INVALID_INPUT', 'payload.action: POST /replay/{replay_id}/force_continue asks for it');
        },
        execute,
      },
      {
        action: PRODUCTION_REPLAY_ACTION,
        check: ({ job_id }) => {
          if (!JOB_ID_FORM.test(job_id as string)) {
            throw new MaceError('INVALID_INPUT', `payload.job_id: ${JOB_ID_FORM.source}`);
          }
        },
        execute,
      },
    ];
  }

  /**
   * The council's approval to go on past this very difference.
   * @throws MaceError FORCE_CONTINUE_REQUIRED without one; what there is to vote on is then asked for, once
   */
  async toContinue(at: StoppedAt, ctx: CommandContext): Promise<CouncilApproval> {
    const { replay_id, divergence_digest, divergence_event_id } = at;
    const jobSeed = reactionSeed('force-continue', divergence_event_id);
    const id = requestId(jobSeed, 0);
    const decided = await this.decision(id);
    if (decided.approval && decided.payload['divergence_digest'] === divergence_digest) return decided.approval;
    if (decided.status === 'none') await this.ask(at, jobSeed, ctx);
    const stands = decided.status === 'none' ? 'pending' : decided.status;
    const { event_number, event_type } = at;
    const told = { replay_id, event_number, event_type, request_id: id, status: stands };
    throw failure('FORCE_CONTINUE_REQUIRED', 'stopped', told, { replay_id, action_request_id: id });
  }

  /**
   * @param asked `id` of a request for a production replay of this job, made by the same person
   * @throws MaceError PERMISSION_DENIED where it does not allow it
   */
  async forProduction({ id, job_id: jobId, replay_id }: ProductionAsked, principalId: string): Promise<void> {
    const denied = (why: string): MaceError =>
      new MaceError(
        'PERMISSION_DENIED',
        `mode production: an admin or an auditor, or approval_id of an approved ${PRODUCTION_REPLAY_ACTION} request: ${why}`,
        { replay_id },
      );
    if (id === undefined) throw denied('none was given');
    const { approval, payload, requestedBy } = await this.decision(id);
    const { action, job_id } = payload;
    if (action !== PRODUCTION_REPLAY_ACTION || job_id !== jobId || requestedBy !== principalId) {
      throw denied('it is not yours for this job');
    }
    if (!approval) throw denied('the council has not approved it');
  }

  /** Once, also where two admins ask at the same time. */
  private async ask(at: StoppedAt, jobSeed: string, ctx: CommandContext): Promise<void> {
    const { divergence_digest: digest } = at;
    const asked = this.underway.get(digest) ?? Promise.resolve().then(() => this.propose(at, jobSeed, ctx));
    this.underway.set(digest, asked);
    try {
      await asked;
    } catch (error) {
      // Another process asked at the same time: its request is the one to vote on.
      if (!(error instanceof VersionConflictError || error instanceof DifferentBodyError)) throw error;
    } finally {
      this.underway.delete(digest);
    }
  }

  private propose(at: StoppedAt, jobSeed: string, { actor, traceId, now }: CommandContext): Promise<RequestView> {
    const { replay_id, job_id, event_number, event_type, divergence_digest, divergence_event_id } = at;
    return this.proposals.propose({
      payload: { action: FORCE_CONTINUE_ACTION, replay_id, job_id, event_number, event_type, divergence_digest },
      justification: 'A replay stopped at a difference from the record. Going on shows the rest, and proves nothing.',
      evidence: [divergence_event_id],
      provenance: { jobSeed, sequenceIndex: 0, actor, traceId, causationId: divergence_event_id },
      now,
    });
  }

  private async decision(id: string): Promise<Decision> {
    const none: Decision = { status: 'none', approval: null, payload: {}, requestedBy: null };
    if (!REQUEST_ID_FORM.test(id)) return none;
    const { events } = await this.log.load(actionRequestStream(id));
    if (events.length === 0) return none;
    const { payload, requested_by: requestedBy, proposal_digest } = events[0]!.data as unknown as ActionRequested;
    const approved = events.find(({ type }) => type === 'ACTION_APPROVED')?.data as unknown as
      ActionApproved | undefined;
    const closed = events.find(({ type }) => type === 'ACTION_REJECTED' || type === 'ACTION_EXPIRED');
    // An emergency goes past the council; its word is what this needs.
    const approval =
      approved?.approval_type === 'council_quorum'
        ? {
            action_request_id: id,
            proposal_digest,
            approvals: approved.approved_by,
            approved_at: approved.decided_at,
          }
        : null;
    const status = approval
      ? 'approved'
      : closed
        ? 'rejected'
        : approved
          ? 'overridden without the council'
          : 'pending';
    return { status, approval, payload, requestedBy };
  }
}

interface Decision {
  readonly status: 'none' | 'pending' | 'approved' | 'rejected' | 'overridden without the council';
  readonly approval: CouncilApproval | null;
  readonly payload: JsonObject;
  readonly requestedBy: string | null;
}
