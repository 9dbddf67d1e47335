import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import { EventLog } from '#lib/event-store';

import { ActionRequests, notFound } from '../action-requests.js';
import { sightFor } from '../request-sight.js';
import { redactedView, type RequestView } from '../request-view.js';

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
  ) {}

  /** @throws MaceError NOT_FOUND, also for what is another's */
  async execute({ ctx, requestId, unredacted }: GetActionRequest): Promise<RequestView> {
    const view = await this.requests.view(requestId);
    const sight = await sightFor(this.log, ctx, view.requested_by, { requestId, unredacted });
    if (sight === 'none') throw notFound(requestId);
    return sight === 'plain' ? view : redactedView(view);
  }
}
