import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import { AuditTrail, type AuditTrailFilter, type AuditTrailPage } from '../audit-trail.js';

/** Who did what with which right, newest first. */
export class ListAuditTrail extends Query<AuditTrailPage> {
  constructor(readonly filter: AuditTrailFilter) {
    super();
  }
}

@QueryHandler(ListAuditTrail)
export class ListAuditTrailHandler implements IQueryHandler<ListAuditTrail> {
  constructor(private readonly trail: AuditTrail) {}

  execute({ filter }: ListAuditTrail): Promise<AuditTrailPage> {
    return this.trail.page(filter);
  }
}
