import { positionOf } from '#lib/event-store';
import { placedAsOfOld, type ReadModel, type RowOfOld } from '#lib/projections';

import {
  CLEARINGS_COLLECTION,
  type ClearingSignature,
  HALTS_COLLECTION,
  type HaltRow,
  type KeptClearing,
  type KeptHalt,
} from './read-models/halts.projection.js';
import { isVoid, type RetiredKeys } from './snapshot-flags.js';

/** How many sealed jobs pin a snapshot, counted up to a bound. */
export interface PinCount {
  readonly jobs: number;
  /** True where there may be more. */
  readonly at_least: boolean;
}

export interface ListedHalt extends RowOfOld<HaltRow> {
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

/** Clearings that are looked at at once; a snapshot has a few. */
const PAGE = 100;

/** Lists of halts, as far as the projection is: a clearing with a key that had been retired before clears nothing there either. */
export class HaltList {
  /**
   * @param pins counts the jobs that pin each of these snapshots, in their order; given by whoever knows of jobs
   * @param retired since when keys of events sign no more
   */
  constructor(
    private readonly model: Pick<ReadModel, 'find' | 'position'>,
    private readonly pins: (snapshotIds: readonly string[]) => Promise<readonly PinCount[]>,
    private readonly retired: () => Promise<RetiredKeys>,
  ) {}

  async page({ status, limit, cursor }: HaltFilter): Promise<HaltPage> {
    const position = await this.model.position();
    const retired = await this.retired();
    const rows: HaltRow[] = [];
    let next: string | null | undefined = cursor;
    do {
      const found = await this.model.find(HALTS_COLLECTION.name, {
        where: mayOnlyBe(status, retired) ? [{ field: 'status', equals: status }] : [],
        sort: { field: 'position', descending: true },
        limit: limit - rows.length,
        ...(next === undefined ? {} : { cursor: next }),
      });
      for (const { body } of found.documents) {
        const row = await this.asItStands(body as unknown as KeptHalt, retired);
        if (row.status === status) rows.push(row);
      }
      ({ next } = found);
    } while (next !== null && rows.length < limit);
    const pins = await this.pins(rows.map(({ snapshot_id }) => snapshot_id));
    const items = rows.map((row, i): ListedHalt => ({ ...placedAsOfOld(row), pinned_by: pins[i]! }));
    return { items, next_cursor: next, position };
  }

  private async asItStands({ signed, ...row }: KeptHalt, retired: RetiredKeys): Promise<HaltRow> {
    if (signed === null || !isVoid(clearing(signed), retired)) return row;
    const cleared = await this.lastClearing(row, retired);
    return { ...row, cleared, status: cleared ? 'cleared' : 'halted' };
  }

  /** The newest clearing behind the newest halt that counts; null where none does. */
  private async lastClearing({ snapshot_id, position }: HaltRow, retired: RetiredKeys): Promise<HaltRow['cleared']> {
    for (let next: string | null | undefined; next !== null;) {
      const found = await this.model.find(CLEARINGS_COLLECTION.name, {
        where: [
          { field: 'snapshot_id', equals: snapshot_id },
          { field: 'position', from: position },
        ],
        sort: { field: 'position', descending: true },
        limit: PAGE,
        ...(next === undefined ? {} : { cursor: next }),
      });
      const clearings = found.documents.map(({ body }) => body as unknown as KeptClearing);
      const counting = clearings.find((one) => !isVoid(clearing(one), retired));
      if (counting) return counting.cleared;
      ({ next } = found);
    }
    return null;
  }
}

/** Whether a row says by itself that it is of that kind; one that was cleared may be halted all the same. */
function mayOnlyBe(status: HaltRow['status'], retired: RetiredKeys): boolean {
  return status === 'cleared' || Object.keys(retired).length === 0;
}

function clearing({ kid, position }: ClearingSignature) {
  return { kid, position: positionOf(position) };
}
