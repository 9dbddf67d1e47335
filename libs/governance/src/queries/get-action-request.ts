import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { Principal } from '#lib/access';

import { ActionRequests, notFound } from '../action-requests.js';
import { sightOf } from '../request-sight.js';
import { redactedView, type RequestView } from '../request-view.js';

/** One request as its stream tells it: one reads one's own writes. */
export class GetActionRequest extends Query<RequestView> {
  constructor(
    readonly principal: Principal,
    readonly requestId: string,
  ) {
    super();
  }
}

@QueryHandler(GetActionRequest)
export class GetActionRequestHandler implements IQueryHandler<GetActionRequest> {
  constructor(private readonly requests: ActionRequests) {}

  /** @throws MaceError NOT_FOUND, also for what is another's */
  async execute({ principal, requestId }: GetActionRequest): Promise<RequestView> {
    const view = await this.requests.view(requestId);
    const sight = sightOf(principal, view.requested_by);
    if (sight === 'none') throw notFound(requestId);
    return sight === 'plain' ? view : redactedView(view);
  }
}
