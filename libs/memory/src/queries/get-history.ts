import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { Principal } from '#lib/access';

import { PiiGate } from '../pii-gate.js';
import { semMiss } from '../sem-miss.js';
import { requireReadable, SemReader, type HistoryPage } from '../sem-reader.js';

/** Every write of a key, oldest first, those that lost included. */
export class GetHistory extends Query<HistoryPage> {
  constructor(
    readonly principal: Principal,
    readonly key: string,
    readonly page: { readonly limit?: number; readonly cursor?: string },
  ) {
    super();
  }
}

@QueryHandler(GetHistory)
export class GetHistoryHandler implements IQueryHandler<GetHistory> {
  constructor(
    private readonly reader: SemReader,
    private readonly gate: PiiGate,
  ) {}

  async execute({ principal, key, page }: GetHistory): Promise<HistoryPage> {
    requireReadable(principal, key);
    const history = await this.reader.history(key, page);
    if (history.items.length > 0 || page.cursor !== undefined) return history;
    this.gate.refuseInPath(key);
    throw semMiss(key);
  }
}
