import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { Principal } from '#lib/access';

import type { Recomputed } from '../domain/recompute.js';
import { ModuleReader } from '../module-reader.js';

/** Computes a module's trust anew from its stream, and says whether it equals the stored one; changes nothing. */
export class RecomputeApt extends Query<Recomputed> {
  constructor(
    readonly principal: Principal,
    readonly nodeId: string,
  ) {
    super();
  }
}

@QueryHandler(RecomputeApt)
export class RecomputeAptHandler implements IQueryHandler<RecomputeApt> {
  constructor(private readonly reader: ModuleReader) {}

  execute({ principal, nodeId }: RecomputeApt): Promise<Recomputed> {
    return this.reader.recompute(nodeId, principal.id);
  }
}
