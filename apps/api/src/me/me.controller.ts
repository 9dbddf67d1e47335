import { Controller, Get, Query } from '@nestjs/common';

import type { CommandContext } from '#lib/access';
import { type DsrPage, type OwnData, OwnRecords } from '#lib/dsr';
import type { RequestPage } from '#lib/governance';
import type { JobPage } from '#lib/jobs';
import type { JsonObject } from '#lib/kernel';
import type { OwnKeyPage } from '#lib/memory';

import { QUEUE_FORMS, QUEUED_DSR } from '../dsr/dsr.examples.js';
import { Ctx, Doc, PageQuery, Permission } from '../edge/index.js';
import { LISTED, LISTED_FORMS } from '../governance/governance.examples.js';
import { JOB_PAGE, ROW_FORMS } from '../jobs/jobs.examples.js';
import { CONSENT, CONSENT_FORMS } from '../privacy/consents.examples.js';

const DEFAULT_PAGE = 50;
const OWN_KEY = { key: 'user/profile/user_tuff/favorite_color', revision: 3, position: '1532', withheld: false };

/** Forms of the items of a list, where the list is a member. */
function within(member: string, forms: Readonly<Record<string, JsonObject>>): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(Object.entries(forms).map(([name, form]) => [`${member}.${name}`, form]));
}

/** What is kept of who asks (spec/privacy.md, "Data-subject requests"). */
@Controller('me')
export class MeController {
  constructor(private readonly records: OwnRecords) {}

  @Get()
  @Permission('me.read')
  @Doc({
    summary: 'What is kept of you: keys, consents, jobs, requests, second factor',
    description:
      'The first 20 of each, without what was said; `list` is the path of all of them. What was said is read at its own place, or taken away by an export (`POST /dsr/request`).',
    answer: {
      user_id: 'user_tuff',
      roles: ['user'],
      second_factor: { enrolled: true, enrolled_at: '2026-11-20T08:00:00.000Z' },
      keys: { items: [OWN_KEY], list: '/me/keys', more: false },
      consents: { items: [CONSENT], list: '/consents', more: false },
      jobs: { items: JOB_PAGE.items, list: '/me/jobs', more: false },
      requests: { items: [QUEUED_DSR], list: '/me/requests', more: false },
      action_requests: { items: [LISTED], list: '/me/action-requests', more: false },
    },
    forms: {
      'second_factor.enrolled_at': { type: ['string', 'null'] },
      ...within('consents.items', CONSENT_FORMS),
      ...within('jobs', ROW_FORMS),
      ...within('requests', QUEUE_FORMS),
      ...within('action_requests', LISTED_FORMS),
    },
  })
  show(@Ctx() ctx: CommandContext): Promise<OwnData> {
    return this.records.overview(ctx);
  }

  @Get('keys')
  @Permission('me.read')
  @Doc({
    summary: 'Your keys in memory, in key order, without their values',
    description: '`withheld`: stored under a consent that has ended, and returned to nobody.',
    answer: { items: [OWN_KEY], next_cursor: null, position: '1557' },
  })
  keys(@Ctx() ctx: CommandContext, @Query() { limit = DEFAULT_PAGE, ...page }: PageQuery): Promise<OwnKeyPage> {
    return this.records.keys(ctx, { ...page, limit });
  }

  @Get('jobs')
  @Permission('me.read')
  @Doc({ summary: 'Your jobs, newest first', answer: JOB_PAGE, forms: ROW_FORMS })
  jobs(@Ctx() ctx: CommandContext, @Query() { limit = DEFAULT_PAGE, ...page }: PageQuery): Promise<JobPage> {
    return this.records.jobs(ctx, { ...page, limit });
  }

  @Get('requests')
  @Permission('me.read')
  @Doc({
    summary: 'Requests for your data or its deletion, oldest first',
    answer: { items: [QUEUED_DSR], next_cursor: null, position: '43' },
    forms: QUEUE_FORMS,
  })
  requests(@Ctx() ctx: CommandContext, @Query() { limit = DEFAULT_PAGE, ...page }: PageQuery): Promise<DsrPage> {
    return this.records.requests(ctx, { ...page, limit });
  }

  @Get('action-requests')
  @Permission('me.read')
  @Doc({
    summary: 'Your requests for actions that need approval, newest first',
    answer: { items: [LISTED], next_cursor: null, position: '42' },
    forms: LISTED_FORMS,
  })
  actionRequests(
    @Ctx() ctx: CommandContext,
    @Query() { limit = DEFAULT_PAGE, ...page }: PageQuery,
  ): Promise<RequestPage> {
    return this.records.actionRequests(ctx, { ...page, limit });
  }
}
