import type { ReadModel } from '#lib/projections';

import { healthOf, type CriticHealth } from './domain/critic.js';
import { CRITICS_COLLECTION, type CriticRow } from './read-models/negotiations.projection.js';

/** A registered critic, and whether it can be expected to vote now. */
export interface ListedCritic extends Omit<CriticRow, 'position'> {
  readonly health: CriticHealth;
}

/** One page of registered critics, the newest registration first, as of the position that the read model has reached. */
export interface CriticPage {
  readonly items: readonly ListedCritic[];
  readonly next_cursor: string | null;
  readonly position: string;
}

export interface CriticPaging {
  readonly limit: number;
  readonly cursor?: string;
}

/** The registry of critics as a list, as far as the projection is. */
export class CriticList {
  constructor(private readonly model: Pick<ReadModel, 'find' | 'position'>) {}

  /**
   * @param now milliseconds since 1970
   * @throws MaceError INVALID_INPUT for a cursor that is none
   */
  async page({ limit, cursor }: CriticPaging, now: number): Promise<CriticPage> {
    const position = await this.model.position();
    const { documents, next } = await this.model.find(CRITICS_COLLECTION.name, {
      where: [],
      sort: { field: 'position', descending: true },
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const items = documents.map(({ body }) => {
      const { position: _, ...row } = body as unknown as CriticRow;
      const state = { registered: true, state: row.state, heardAt: Date.parse(row.heard_at) };
      return { ...row, health: healthOf(state, now) };
    });
    return { items, next_cursor: next, position };
  }
}
