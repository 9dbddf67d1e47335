import { placedAsOfOld, type ReadModel, type RowOfOld } from '#lib/projections';
import type { Condition } from '#lib/read-store';

import { MISSING_KINDS, type MissingKind } from './domain/missing.js';
import { UNREPLAYABLE_COLLECTION, type UnreplayableRow } from './read-models/unreplayable.projection.js';

export interface UnreplayableFilter {
  /** A kind, or the name of one artifact. */
  readonly missing?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** How many jobs lack each kind; up to a bound that `at_least` names. */
export type MissingCounts = Readonly<Record<MissingKind, number>>;

export interface UnreplayablePage {
  readonly items: readonly RowOfOld<UnreplayableRow>[];
  readonly next_cursor: string | null;
  /** Everything up to here is in the list. */
  readonly position: string;
  /** Of all of them, whatever the filter. */
  readonly counts: MissingCounts;
  /** Kinds of which there may be more than was counted. */
  readonly at_least: readonly MissingKind[];
}

const PAGE = 1000;
const MAX_COUNT = 10_000;

/** Lists of jobs that cannot be replayed, as far as their read model is. */
export class UnreplayableJobs {
  constructor(
    private readonly model: Pick<ReadModel, 'find' | 'position'>,
    private readonly maxCount = MAX_COUNT,
  ) {}

  /** @throws MaceError INVALID_INPUT for a cursor of another list */
  async page({ missing, limit, cursor }: UnreplayableFilter): Promise<UnreplayablePage> {
    const position = await this.model.position();
    const found = await this.model.find(UNREPLAYABLE_COLLECTION.name, {
      where: missing === undefined ? [] : [wanted(missing)],
      sort: { field: 'position', descending: true },
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const counted = await Promise.all(MISSING_KINDS.map(async (kind) => [kind, await this.count(kind)] as const));
    return {
      items: found.documents.map(({ body }) => placedAsOfOld(body as unknown as UnreplayableRow)),
      next_cursor: found.next,
      position,
      counts: Object.fromEntries(counted) as MissingCounts,
      at_least: counted.filter(([, count]) => count >= this.maxCount).map(([kind]) => kind),
    };
  }

  private async count(kind: MissingKind): Promise<number> {
    let count = 0;
    let cursor: string | undefined;
    do {
      const found = await this.model.find(UNREPLAYABLE_COLLECTION.name, {
        where: [wanted(kind)],
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      count += found.documents.length;
      cursor = found.next ?? undefined;
    } while (cursor !== undefined && count < this.maxCount);
    return Math.min(count, this.maxCount);
  }
}

function wanted(missing: string): Condition {
  return missing.includes(':') ? { field: 'artifact', equals: missing } : { field: 'missing', equals: missing };
}
