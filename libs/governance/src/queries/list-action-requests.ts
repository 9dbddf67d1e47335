import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { Principal } from '#lib/access';

import { type RequestFilter, RequestList, type RequestPage } from '../request-list.js';
import { seesAllRequests } from '../request-sight.js';

/** One's own requests; everybody's for those who decide, operate and audit. */
export class ListActionRequests extends Query<RequestPage> {
  constructor(
    readonly principal: Principal,
    readonly filter: Omit<RequestFilter, 'requestedBy'>,
  ) {
    super();
  }
}

@QueryHandler(ListActionRequests)
export class ListActionRequestsHandler implements IQueryHandler<ListActionRequests> {
  constructor(private readonly list: RequestList) {}

  execute({ principal, filter }: ListActionRequests): Promise<RequestPage> {
    return this.list.page(seesAllRequests(principal) ? filter : { ...filter, requestedBy: principal.id });
  }
}
