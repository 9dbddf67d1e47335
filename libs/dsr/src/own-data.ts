import { type CommandContext, type EnrolmentView, personOf, type Role, type SecondFactors } from '#lib/access';
import type { RequestList, RequestPage } from '#lib/governance';
import type { JobList, JobPage } from '#lib/jobs';
import type { OwnKeyPage, SemIndex } from '#lib/memory';
import type { ConsentPage, Consents } from '#lib/privacy';

import type { DsrPage, DsrQueue } from './request-queue.js';

/** The beginning of a list, and where all of it is. */
export interface OwnList<T> {
  /** The first 20. */
  readonly items: readonly T[];
  /** Path of the whole list. */
  readonly list: string;
  /** Whether the list has more than these. */
  readonly more: boolean;
}

/** What is kept of who asks; no content, and nothing of others (spec/privacy.md, "Data-subject requests"). */
export interface OwnData {
  readonly user_id: string;
  readonly roles: readonly Role[];
  readonly second_factor: EnrolmentView;
  readonly keys: OwnList<OwnKeyPage['items'][number]>;
  readonly consents: OwnList<ConsentPage['items'][number]>;
  readonly jobs: OwnList<JobPage['items'][number]>;
  /** For one's data, or its deletion. */
  readonly requests: OwnList<DsrPage['items'][number]>;
  /** For actions that need somebody's approval. */
  readonly action_requests: OwnList<RequestPage['items'][number]>;
}

export interface OwnPage {
  readonly limit: number;
  readonly cursor?: string;
}

const FIRST: OwnPage = { limit: 20 };

/** Lists of what is kept of one person, each a page at a time. */
export class OwnRecords {
  constructor(
    private readonly lists: {
      readonly keys: Pick<SemIndex, 'ofPerson'>;
      readonly consents: Pick<Consents, 'list'>;
      readonly jobs: Pick<JobList, 'page'>;
      readonly queue: Pick<DsrQueue, 'ofPerson'>;
      readonly actions: Pick<RequestList, 'page'>;
      readonly factors: Pick<SecondFactors, 'enrolmentOf'>;
    },
  ) {}

  async overview(ctx: CommandContext): Promise<OwnData> {
    const person = personOf(ctx.principal);
    const [second_factor, keys, consents, jobs, requests, actions] = await Promise.all([
      this.lists.factors.enrolmentOf(person),
      this.keys(ctx, FIRST),
      this.lists.consents.list(person, FIRST, ctx.now),
      this.jobs(ctx, FIRST),
      this.requests(ctx, FIRST),
      this.actionRequests(ctx, FIRST),
    ]);
    return {
      user_id: person,
      roles: ctx.principal.roles,
      second_factor,
      keys: listed(keys, '/me/keys'),
      consents: listed(consents, '/consents'),
      jobs: listed(jobs, '/me/jobs'),
      requests: listed(requests, '/me/requests'),
      action_requests: listed(actions, '/me/action-requests'),
    };
  }

  keys({ principal }: CommandContext, page: OwnPage): Promise<OwnKeyPage> {
    return this.lists.keys.ofPerson(personOf(principal), page);
  }

  jobs({ principal }: CommandContext, { limit, cursor }: OwnPage): Promise<JobPage> {
    return this.lists.jobs.page({ userId: personOf(principal), limit, cursor });
  }

  requests({ principal }: CommandContext, page: OwnPage): Promise<DsrPage> {
    return this.lists.queue.ofPerson(personOf(principal), page);
  }

  actionRequests({ principal }: CommandContext, page: OwnPage): Promise<RequestPage> {
    return this.lists.actions.page({ ...page, requestedBy: principal.id });
  }
}

function listed<T>(
  page: { readonly items: readonly T[]; readonly next_cursor: string | null },
  list: string,
): OwnList<T> {
  return { items: page.items, list, more: page.next_cursor !== null };
}
