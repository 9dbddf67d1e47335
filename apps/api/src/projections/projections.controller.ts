import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { IsOptional, Matches } from 'class-validator';

import type { CommandContext } from '#lib/access';
import type { EventStore } from '#lib/event-store';
import { pageAfter } from '#lib/kernel';
import { ProjectionHost, type ProjectionListing } from '#lib/projections';

import { Ctx, Doc, type Listed, PageQuery, Permission, upToHead } from '../edge/index.js';
import { EVENT_STORE } from '../platform.tokens.js';
import { PROJECTION_FORMS, PROJECTIONS, RERUN_BEGUN, RERUN_DONE, RERUN_FORMS } from './projections.examples.js';
import { Reruns, type RerunView } from './reruns.js';

/** As many as a page may hold: these lists came whole before they had pages. */
const DEFAULT_PAGE = 200;
const POSITION = /^(0|[1-9][0-9]{0,19})$/;

/** POST /projections/{name}/rerun. */
export class RerunDto {
  /** Position after which the range begins, as a decimal text; 0 where absent. */
  @IsOptional()
  @Matches(POSITION)
  from?: string;

  /** Position at which it ends; as far as the live one is where absent. */
  @IsOptional()
  @Matches(POSITION)
  to?: string;
}

@Controller('projections')
export class ProjectionsController {
  constructor(
    private readonly host: ProjectionHost,
    private readonly reruns: Reruns,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  @Get()
  @Permission('projections.read')
  @Doc({ summary: 'Every projection, with how far behind the log it is', answer: PROJECTIONS, forms: PROJECTION_FORMS })
  list(@Query() { limit = DEFAULT_PAGE, cursor }: PageQuery): Promise<Listed<ProjectionListing>> {
    return upToHead(this.store, async () => pageAfter(await this.host.list(), ({ name }) => name, { limit, cursor }));
  }

  /** Runs a projection again into a scratch place and compares; the live one is not touched. */
  @Post(':name/rerun')
  @HttpCode(202)
  @Permission('projections.rerun')
  @Doc({
    summary: 'Runs a projection again into a scratch place and compares; the live one is not touched',
    description:
      'What lies before `from` is projected first, so that the range meets the state that it met. Compared are the digests of all documents, where the rerun ends where the live projection stands; where they differ, the first documents that do are named.',
    request: { from: '0' },
    answer: RERUN_BEGUN,
    otherAnswers: { 'the same request again, later': RERUN_DONE },
    forms: RERUN_FORMS,
    changesNothing: true,
    errors: ['IDEMPOTENCY_KEY_REUSED'],
  })
  async rerun(@Ctx() ctx: CommandContext, @Param('name') name: string, @Body() body: RerunDto): Promise<RerunView> {
    const range = { ...body, from: body.from ?? '0' };
    await this.reruns.check(range);
    return this.reruns.begin(name, range, ctx);
  }

  @Get(':name/reruns/:rerun_id')
  @Permission('projections.read')
  @Doc({
    summary: 'How far a rerun is, and what it found',
    answer: RERUN_DONE,
    otherAnswers: { running: RERUN_BEGUN },
    forms: RERUN_FORMS,
  })
  progress(@Param('name') name: string, @Param('rerun_id') rerunId: string): RerunView {
    return this.reruns.get(name, rerunId);
  }
}
