import type { ReadModel } from '#lib/projections';

import { HALTS_COLLECTION, type HaltRow } from './read-models/halts.projection.js';

/** How many sealed jobs pin a snapshot, counted up to a bound. */
export interface PinCount {
  readonly jobs: number;
  /** True where there may be more. */
  readonly at_least: boolean;
}

export interface ListedHalt extends HaltRow {
  readonly pinned_by: PinCount;
}

export interface HaltPage {
  readonly items: readonly ListedHalt[];
  readonly next_cursor: string | null;
  /** Everything up to here is in the list. */
  readonly position: string;
}

export interface HaltFilter {
  readonly status: HaltRow['status'];
  readonly limit: number;
  readonly cursor?: string;
}

/** Lists of halts, as far as the projection is. */
export class HaltList {
  /** @param pins counts the jobs that pin a snapshot; given by whoever knows of jobs */
  constructor(
    private readonly model: Pick<ReadModel, 'find' | 'position'>,
    private readonly pins: (snapshotId: string) => Promise<PinCount>,
  ) {}

  async page({ status, limit, cursor }: HaltFilter): Promise<HaltPage> {
    const position = await this.model.position();
    const found = await this.model.find(HALTS_COLLECTION.name, {
      where: [{ field: 'status', equals: status }],
      sort: { field: 'position', descending: true },
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const rows = found.documents.map(({ body }) => body as unknown as HaltRow);
    const items: ListedHalt[] = [];
    for (const row of rows) items.push({ ...row, pinned_by: await this.pins(row.snapshot_id) });
    return { items, next_cursor: found.next, position };
  }
}
