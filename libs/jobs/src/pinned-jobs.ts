import type { ReadModel } from '#lib/projections';

const PAGE = 1000;
/** Beyond this many the exact number says nothing more to whoever looks. */
const MAX_COUNT = 10_000;

/** How many sealed jobs pin a snapshot, as far as the jobs read model is. */
export class PinnedJobs {
  constructor(
    private readonly model: Pick<ReadModel, 'find'>,
    private readonly maxCount = MAX_COUNT,
  ) {}

  async count(snapshotId: string): Promise<{ readonly jobs: number; readonly at_least: boolean }> {
    let jobs = 0;
    for await (const set of this.all('pin_sets')) {
      if (!(set.body['snapshots'] as readonly string[]).includes(snapshotId)) continue;
      for await (const _ of this.all('logs', set.id)) {
        if (jobs === this.maxCount) return { jobs, at_least: true };
        jobs++;
      }
    }
    return { jobs, at_least: false };
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
