import { type ReadModel } from '#lib/projections';
import type { Condition } from '#lib/read-store';

import type { Verdict } from './domain/replay.events.js';
import { REPLAYS_COLLECTION, type ReplayRow } from './read-models/replays.projection.js';

/** One page of replays, newest first, as of the position that the read model has reached. */
export interface ReplayPage {
  readonly items: readonly Omit<ReplayRow, 'position'>[];
  readonly next_cursor: string | null;
  readonly position: string;
}

export interface ReplayFilter {
  readonly job_id?: string;
  readonly verdict?: Verdict;
  readonly limit: number;
  readonly cursor?: string;
}

/** Lists of replays, as far as the projection is. */
export class ReplayList {
  constructor(private readonly model: Pick<ReadModel, 'find' | 'position'>) {}

  /** @throws MaceError INVALID_INPUT for a cursor that is none */
  async page({ job_id, verdict, limit, cursor }: ReplayFilter): Promise<ReplayPage> {
    const equal = (field: string, value: string | undefined): Condition[] =>
      value === undefined ? [] : [{ field, equals: value }];
    const position = await this.model.position();
    const found = await this.model.find(REPLAYS_COLLECTION.name, {
      where: [...equal('job_id', job_id), ...equal('verdict', verdict)],
      sort: { field: 'position', descending: true },
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const items = found.documents.map(({ body }) => {
      const { position: _, ...row } = body as unknown as ReplayRow;
      return row;
    });
    return { items, next_cursor: found.next, position };
  }
}
