import { setImmediate as nextTurn } from 'node:timers/promises';

import type { EventStore } from '#lib/event-store';
import {
  type JobItem,
  JobList,
  type JobPage,
  type JobPlace,
  type JobRow,
  LogIndex,
  type UnfinishedJobs,
} from '#lib/jobs';
import { placedAsOfOld, type ProjectionHost, type ReadModel } from '#lib/projections';
import { type Condition, writeCursor } from '#lib/read-store';

const PAGE = 200;
/** For one page, where a condition has no index of its own in the way. */
const MOST_LOOKED_AT = 4000;
const SORT = { of: 'jobs', field: 'asked', descending: true } as const;

/** Lists of jobs, as far as the projection is. */
export class ProjectedJobList extends JobList implements UnfinishedJobs {
  constructor(private readonly model: ReadModel) {
    super();
  }

  /**
   * The index of one condition finds jobs in their order; the others are held to what it finds. Of so many as are looked
   * at for a page, none may be one that is asked for.
   */
  async page(filter: Parameters<JobList['page']>[0]): Promise<JobPage> {
    const { userId, status, agent, error_code, replayable, from_time, to_time, limit, cursor } = filter;
    const position = await this.model.position();
    const equal = { user_id: userId ?? undefined, error_code, agent_id: agent, replayable, status };
    const [first, ...others] = Object.entries(equal).filter(([, value]) => value !== undefined);
    const where: Condition[] = first ? [{ field: first[0], equals: first[1]! }] : [];
    const times = {
      ...(from_time === undefined ? {} : { from: inUtc(from_time) }),
      ...(to_time === undefined ? {} : { below: inUtc(to_time) }),
    };
    // One condition: of two the index would be entered by the wider bound.
    if (Object.keys(times).length > 0) where.push({ field: SORT.field, ...times });
    const items: JobItem[] = [];
    const page = others.length === 0 ? limit : PAGE;
    let next: string | null = cursor ?? null;
    for (let looked = 0; looked < MOST_LOOKED_AT; looked += page) {
      const found = await this.model.find('jobs', {
        where,
        sort: SORT,
        limit: page,
        ...(next === null ? {} : { cursor: next }),
      });
      next = found.next;
      for (const { id, body } of found.documents) {
        if (!others.every(([field, value]) => body[field] === value)) continue;
        items.push(itemOf(body as unknown as JobRow));
        if (items.length < limit) continue;
        const isLast = next === null && id === found.documents.at(-1)!.id;
        return { items, next_cursor: isLast ? null : writeCursor(SORT, body[SORT.field] as string, id), position };
      }
      if (next === null) break;
      await nextTurn();
    }
    return { items, next_cursor: next, position };
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

function itemOf({ asked: _, ...row }: JobRow): JobItem {
  const ended = row.ended_at === null ? null : Date.parse(row.ended_at) - Date.parse(row.created_at);
  // The clock of the process that finished it may be behind that of the one that took it.
  return { ...placedAsOfOld(row), duration_ms: ended === null ? null : Math.max(0, ended) };
}

/** As `created_at` is written. */
function inUtc(time: string): string {
  return new Date(time).toISOString();
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
