import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { hasRole, type Principal } from '#lib/access';

import { type NegotiationFilter, NegotiationList, type NegotiationPage } from '../negotiation-list.js';

/** What one proposed, or is asked about; everybody's for those who operate and audit. */
export class ListNegotiations extends Query<NegotiationPage> {
  constructor(
    readonly principal: Principal,
    readonly filter: Omit<NegotiationFilter, 'critic' | 'producer'> & { readonly critic?: 'me' },
  ) {
    super();
  }
}

@QueryHandler(ListNegotiations)
export class ListNegotiationsHandler implements IQueryHandler<ListNegotiations> {
  constructor(private readonly list: NegotiationList) {}

  execute({ principal, filter: { critic, ...filter } }: ListNegotiations): Promise<NegotiationPage> {
    if (critic === 'me') return this.list.page({ ...filter, critic: principal.id });
    return this.list.page(seesAllNegotiations(principal) ? filter : { ...filter, producer: principal.id });
  }
}

export function seesAllNegotiations(principal: Principal): boolean {
  return (['operator', 'auditor', 'admin'] as const).some((role) => hasRole(principal, role));
}
