import { type CommandContext, hasRole, provenanceOf } from '#lib/access';
import type { EventLog, Fold, LoggedEvent } from '#lib/event-store';
import {
  type DomainEvent,
  type ErrorCode,
  MaceError,
  reactionSeed,
  refuseOtherBody,
  traceId,
  whereMatched,
} from '#lib/kernel';

import { decideApprove, decideClose, decideVote } from './domain/action-request.js';
import { actionRequestStream, type Ballot } from './domain/action-requests.events.js';
import { REQUEST_ID } from './domain/proposal.js';
import { decideSignature } from './domain/request-emergency.js';
import type { Voter } from './domain/request-refusals.js';
import type { CastVote } from './domain/request-ruling.js';
import { dueAt, evolveRequest, initialRequest, type RequestState } from './domain/request-state.js';
import { type RequestView, requestView } from './request-view.js';
import type { TextScreen } from './text-screen.js';
import type { Windows } from './windows.js';

/** What somebody says to a request. */
export interface Say {
  readonly proposal_digest: string;
  readonly reason?: string;
}

export const REQUEST_FOLD: Fold<RequestState> = {
  name: 'actionrequest',
  initial: initialRequest,
  evolve: evolveRequest,
};
/** Seeds what closes a window, so that whoever closes it makes the same event. */
const CLOSER = 'vote-window';

/** What is refused because something was recorded since, which may have been this very request. */
const TOO_LATE: ReadonlySet<ErrorCode> = new Set(['CONFLICT', 'PRECONDITION_FAILED']);

type Decide = (state: RequestState, said: Omit<CastVote, 'vote'>) => readonly DomainEvent[];

/** Votes, approvals and closings of requests, each decided on its own stream. */
export class ActionRequests {
  constructor(
    private readonly log: EventLog,
    private readonly screen: TextScreen,
    /** Told of a review's due time; it calls `close`, so that neither is made before the other. */
    readonly windows: () => Windows,
  ) {}

  /** @throws MaceError NOT_FOUND, PERMISSION_DENIED, CONFLICT, INVALID_INPUT, PRECONDITION_FAILED */
  vote(ctx: CommandContext, id: string, vote: Ballot, say: Say): Promise<RequestView> {
    return this.decide(ctx, id, say, (state, said) => decideVote(state, { ...said, vote }));
  }

  /** One admin's approval; on a request that an emergency has begun for, the second signature. */
  approve(ctx: CommandContext, id: string, say: Say): Promise<RequestView> {
    return this.decide(ctx, id, say, decideApprove);
  }

  /**
   * One of the two signatures of an emergency.
   * @param sequenceIndex of the first event: 1 where the same command has made the request
   */
  sign(ctx: CommandContext, id: string, say: Say, sequenceIndex = 0): Promise<RequestView> {
    return this.decide(ctx, id, say, decideSignature, sequenceIndex);
  }

  /** Closes what is due by now; nothing where nothing is. */
  async close(id: string, now: number): Promise<void> {
    const stream = actionRequestStream(id);
    const { state } = await this.log.fold(stream, REQUEST_FOLD);
    if (decideClose(state, now).length === 0) return;
    // A request and its emergency's review close once each.
    const jobSeed = reactionSeed(CLOSER, state.status === 'pending' ? state.requestEventId : state.approval!.event_id);
    await this.log.execute({
      stream,
      fold: REQUEST_FOLD,
      provenance: { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) },
      decide: (fresh) => decideClose(fresh, now),
    });
  }

  /** Every event of a request, personal fields in plain. @throws MaceError NOT_FOUND */
  async events(id: string): Promise<readonly LoggedEvent[]> {
    const { events } = REQUEST_ID.test(id)
      ? await this.log.load(actionRequestStream(id), { personal: 'plain' })
      : { events: [] };
    if (events.length === 0) throw notFound(id);
    return events;
  }

  async view(id: string): Promise<RequestView> {
    return requestView(await this.events(id));
  }

  private async decide(
    ctx: CommandContext,
    id: string,
    say: Say,
    decide: Decide,
    sequenceIndex = 0,
  ): Promise<RequestView> {
    if (!REQUEST_ID.test(id)) throw notFound(id);
    const stream = actionRequestStream(id);
    const before = await this.answered(ctx, stream);
    if (before) return before;
    // A vote that is handled after the due time first closes the window, and is then late.
    await this.close(id, ctx.now);
    const { now } = ctx;
    const said = { ...this.said(say), voter: voterOf(ctx), now };
    try {
      const { state } = await this.log.execute({
        stream,
        fold: REQUEST_FOLD,
        provenance: provenanceOf(ctx, sequenceIndex),
        decide: (state, head) => {
          if (!state.terms) throw notFound(id);
          return whereMatched(ctx, head.version - 1, decide(state, said));
        },
      });
      const due = dueAt(state);
      if (state.review && due !== null) this.windows().add(id, due);
    } catch (error) {
      // The same request at the same time: whoever lost finds what the other one did.
      const isLate = error instanceof MaceError && TOO_LATE.has(error.code);
      const first = isLate ? await this.answered(ctx, stream) : null;
      if (first) return first;
      throw error;
    }
    return (await this.answered(ctx, stream)) ?? this.view(id);
  }

  private said({ proposal_digest, reason }: Say): Say {
    return { proposal_digest, ...(reason === undefined ? {} : { reason: this.screen.redact(reason) }) };
  }

  /**
   * The answer that this very request had: the request as it stood after the events it appended. What is recorded decides,
   * and no clock: a request is short enough to be looked through from its beginning.
   */
  private async answered(ctx: CommandContext, stream: string): Promise<RequestView | null> {
    if (!ctx.keyed) return null;
    const { events } = await this.log.load(stream, { personal: 'plain' });
    // A command that made the request itself has not answered by that.
    const own = events.filter(({ type, metadata }) => metadata.job_seed === ctx.seed && type !== 'ACTION_REQUESTED');
    if (own.length === 0) return null;
    refuseOtherBody(own[0]!.metadata.request_digest, ctx);
    return requestView(events.slice(0, own.at(-1)!.revision + 1));
  }
}

export function notFound(id: string): MaceError {
  return new MaceError('NOT_FOUND', `no request ${id.slice(0, 60)} of yours`);
}

function voterOf({ principal }: CommandContext): Voter {
  return {
    id: principal.id,
    isCouncil: hasRole(principal, 'council'),
    isAdmin: hasRole(principal, 'admin'),
    isSuperadmin: hasRole(principal, 'superadmin'),
  };
}
