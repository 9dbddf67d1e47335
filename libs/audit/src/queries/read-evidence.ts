import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { type EvidenceView, ForensicStore } from '../forensic-store.js';

/** A piece of forensic evidence; that somebody looks at it is recorded first. */
export class ReadEvidence extends Query<EvidenceView> {
  constructor(
    readonly ctx: CommandContext,
    readonly evidenceRef: string,
  ) {
    super();
  }
}

@QueryHandler(ReadEvidence)
export class ReadEvidenceHandler implements IQueryHandler<ReadEvidence> {
  constructor(private readonly store: ForensicStore) {}

  execute({ ctx, evidenceRef }: ReadEvidence): Promise<EvidenceView> {
    return this.store.read(ctx, evidenceRef);
  }
}
