import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { ModuleStatus } from '../domain/module.events.js';
import { ModuleReader, type TrustHistory } from '../module-reader.js';

/** A module's trust with what moved it, newest first. */
export interface TrustView {
  readonly node_id: string;
  readonly apt: number;
  readonly status: ModuleStatus;
  readonly trust_events: number;
  readonly history: TrustHistory['items'];
  readonly next_cursor: string | null;
}

export class GetApt extends Query<{ readonly view: TrustView; readonly revision: number }> {
  constructor(
    readonly nodeId: string,
    readonly page: { readonly limit?: number; readonly cursor?: string },
  ) {
    super();
  }
}

const DEFAULT_PAGE = 50;

@QueryHandler(GetApt)
export class GetAptHandler implements IQueryHandler<GetApt> {
  constructor(private readonly reader: ModuleReader) {}

  async execute({ nodeId, page: { limit = DEFAULT_PAGE, cursor } }: GetApt) {
    const { node_id, health, revision } = await this.reader.get(nodeId);
    const { items, next_cursor } = await this.reader.history(nodeId, {
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const { apt, status, trust_events } = health;
    return { view: { node_id, apt, status, trust_events, history: items, next_cursor }, revision };
  }
}
