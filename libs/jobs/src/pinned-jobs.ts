import type { ReadModel } from '#lib/projections';

const PAGE = 1000;
/** Beyond this many the exact number says nothing more to whoever looks. */
const MAX_COUNT = 10_000;

export interface PinnedCount {
  readonly jobs: number;
  /** True where there may be more. */
  readonly at_least: boolean;
}

/** How many sealed jobs pin a snapshot, as far as the jobs read model is. */
export class PinnedJobs {
  constructor(
    private readonly model: Pick<ReadModel, 'find'>,
    private readonly maxCount = MAX_COUNT,
  ) {}

  /** Of each of these snapshots, in their order: what pins several of them is looked at once. */
  async counts(snapshotIds: readonly string[]): Promise<readonly PinnedCount[]> {
    const jobs = new Map(snapshotIds.map((id) => [id, 0]));
    if (jobs.size === 0) return [];
    for await (const set of this.all('pin_sets')) {
      const pinned = (set.body['snapshots'] as readonly string[]).filter((id) => jobs.has(id));
      const least = Math.min(...pinned.map((id) => jobs.get(id)!));
      const more = await this.jobsOf(set.id, pinned.length === 0 ? 0 : this.maxCount + 1 - least);
      for (const id of pinned) jobs.set(id, jobs.get(id)! + more);
    }
    return snapshotIds.map((id) => {
      const found = jobs.get(id)!;
      return { jobs: Math.min(found, this.maxCount), at_least: found > this.maxCount };
    });
  }

  /** How many jobs pin a set; those beyond `most` are not counted. */
  private async jobsOf(pinSet: string, most: number): Promise<number> {
    let jobs = 0;
    if (most <= 0) return 0;
    for await (const _ of this.all('logs', pinSet)) if (++jobs === most) break;
    return jobs;
  }

  private async *all(collection: string, pinSet?: string) {
    let cursor: string | undefined;
    do {
      const found = await this.model.find(collection, {
        ...(pinSet === undefined ? {} : { where: [{ field: 'pin_set', equals: pinSet }] }),
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      yield* found.documents;
      cursor = found.next ?? undefined;
    } while (cursor !== undefined);
  }
}
