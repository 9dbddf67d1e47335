import type { EventStore } from '#lib/event-store';
import { JobList, type JobPage, type JobPlace, type JobRow, LogIndex, type UnfinishedJobs } from '#lib/jobs';
import { placedAsOfOld, type ProjectionHost, type ReadModel } from '#lib/projections';

const PAGE = 200;

/** Lists of jobs, as far as the projection is. */
export class ProjectedJobList extends JobList implements UnfinishedJobs {
  constructor(private readonly model: ReadModel) {
    super();
  }

  async page({ userId, limit, cursor }: Parameters<JobList['page']>[0]): Promise<JobPage> {
    const position = await this.model.position();
    const found = await this.model.find('jobs', {
      where: userId === null ? [] : [{ field: 'user_id', equals: userId }],
      sort: { field: 'position', descending: true },
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    return {
      items: found.documents.map(({ body }) => placedAsOfOld(body as unknown as JobRow)),
      next_cursor: found.next,
      position,
    };
  }

  /** Every job that has no seal. */
  async list(): Promise<readonly string[]> {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.model.find('jobs', {
        where: [{ field: 'sealed', equals: false }],
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      ids.push(...page.documents.map((document) => document.id));
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    return ids;
  }
}

/** Finds the job of a log; one just written is waited for, so that its owner always finds it. */
export class ProjectedLogIndex extends LogIndex {
  constructor(
    private readonly model: ReadModel,
    private readonly host: ProjectionHost,
    private readonly events: EventStore,
  ) {
    super();
  }

  ofLog(logId: string): Promise<JobPlace | null> {
    return this.whenCurrent(async () => {
      const log = await this.model.get('logs', logId);
      return log && this.place(log.body['job_id'] as string);
    });
  }

  ofJob(jobId: string): Promise<JobPlace | null> {
    return this.whenCurrent(() => this.place(jobId));
  }

  private async place(jobId: string): Promise<JobPlace | null> {
    const document = await this.model.get('jobs', jobId);
    return document && (document.body as unknown as JobRow);
  }

  private async whenCurrent(find: () => Promise<JobPlace | null>): Promise<JobPlace | null> {
    const found = await find();
    if (found) return found;
    await this.host.waitFor(await this.events.head(), ['jobs']);
    return find();
  }
}
