import type { ReadModel } from '#lib/projections';

import { BRAINSTATES_COLLECTION, type BrainStateRow } from './read-models/brainstate.projection.js';

/** One page of BrainStates, newest first, as of the position that the read model has reached. */
export interface BrainStatePage {
  readonly items: readonly Omit<BrainStateRow, 'position'>[];
  readonly next_cursor: string | null;
  readonly position: string;
}

export interface BrainStateFilter {
  /** Normal form. */
  readonly user_id?: string;
  readonly job_id?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** Lists of BrainStates, as far as the projection is; what one holds in mind is read from its stream. */
export class BrainStateList {
  constructor(private readonly model: Pick<ReadModel, 'find' | 'position'>) {}

  /** @throws MaceError INVALID_INPUT for a cursor that is none */
  async page({ user_id, job_id, limit, cursor }: BrainStateFilter): Promise<BrainStatePage> {
    const position = await this.model.position();
    const { documents, next } = await this.model.find(BRAINSTATES_COLLECTION.name, {
      where: [
        ...(user_id === undefined ? [] : [{ field: 'user_id', equals: user_id }]),
        // A job's document has its id.
        ...(job_id === undefined ? [] : [{ field: 'id', equals: job_id }]),
      ],
      sort: { field: 'position', descending: true },
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const items = documents.map(({ body }) => {
      const { position: _, ...row } = body as unknown as BrainStateRow;
      return row;
    });
    return { items, next_cursor: next, position };
  }
}
