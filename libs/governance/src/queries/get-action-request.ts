import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { type CommandContext, hasRole } from '#lib/access';
import { recordAccess } from '#lib/audit';
import { EventLog } from '#lib/event-store';

import { ActionRequests, notFound } from '../action-requests.js';
import { HUMAN_REVIEW_ACTION } from '../domain/action-kinds.js';
import { sightFor } from '../request-sight.js';
import { redactedView, type RequestView } from '../request-view.js';
import { type ReviewedJob, ReviewedJobs } from '../reviewed-jobs.js';

/** One request as its stream tells it: one reads one's own writes. */
export class GetActionRequest extends Query<RequestView> {
  constructor(
    readonly ctx: CommandContext,
    readonly requestId: string,
    readonly unredacted?: boolean,
  ) {
    super();
  }
}

@QueryHandler(GetActionRequest)
export class GetActionRequestHandler implements IQueryHandler<GetActionRequest> {
  constructor(
    private readonly requests: ActionRequests,
    private readonly log: EventLog,
    private readonly jobs: ReviewedJobs,
  ) {}

  /**
   * Whoever sees a request for the review of a job sees the job's question, answers and votes with it; that a member of
   * the council looked is recorded first, for the job is not theirs.
   * @throws MaceError NOT_FOUND, also for what is another's; what the store throws
   */
  async execute({ ctx, requestId, unredacted }: GetActionRequest): Promise<RequestView> {
    const view = await this.requests.view(requestId);
    const reviewed = await this.reviewedIn(view);
    const sight = await sightFor(this.log, ctx, reviewed?.owner ?? view.requested_by, { requestId, unredacted });
    if (sight === 'none') throw notFound(requestId);
    if (sight === 'redacted') return redactedView(view);
    if (!reviewed) return view;
    if (reviewed.owner !== ctx.principal.id && hasRole(ctx.principal, 'council'))
      await recordAccess(this.log, ctx, {
        resource: `job/${reviewed.shown.job_id}`,
        action: 'review',
        unredactedAs: 'council',
      });
    return { ...view, under_review: reviewed.shown };
  }

  private async reviewedIn({ kind, payload, request_id }: RequestView): Promise<ReviewedJob | null> {
    const { job_id } = payload;
    if (kind !== HUMAN_REVIEW_ACTION || typeof job_id !== 'string') return null;
    return this.jobs.of(job_id, request_id);
  }
}
