import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';

import { type CommandContext, provenanceOf } from '#lib/access';
import type { EventStore } from '#lib/event-store';
import { pageAfter } from '#lib/kernel';
import { ProjectionHost, type ProjectionListing, Reruns, type RerunView } from '#lib/projections';

import { Ctx, Doc, type Listed, PageQuery, Permission, upToHead } from '../edge/index.js';
import { EVENT_STORE } from '../platform.tokens.js';
import {
  PROJECTION_FORMS,
  PROJECTIONS,
  RERUN_BEGUN,
  RERUN_DONE,
  RERUN_FORMS,
  RERUN_OF_STREAM,
} from './projections.examples.js';

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

  /** In place of positions: one stream, by its name. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(300)
  stream?: string;

  /** The stream's first revision of the range; 0 where absent. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  from_revision?: number;
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
      'What lies before `from` is projected first, so that the range meets the state that it met. Compared are the digests of all documents, where the rerun ends where the live projection stands; where they differ, the first documents that do are named. Of a `stream` the events from `from_revision` on are projected, after those before, and the documents that they change are compared. It is on record: PROJECTION_RERUN_BEGUN, and PROJECTION_RERUN with range, digests and verdict; every process shows how far it is. At most four run in a process.',
    request: { from: '0' },
    answer: RERUN_BEGUN,
    otherAnswers: { 'the same request again, later': RERUN_DONE },
    forms: RERUN_FORMS,
    errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
  })
  rerun(@Ctx() ctx: CommandContext, @Param('name') name: string, @Body() body: RerunDto): Promise<RerunView> {
    return this.reruns.begin(name, body, provenanceOf(ctx));
  }

  @Get(':name/reruns/:rerun_id')
  @Permission('projections.rerun')
  @Doc({
    summary: 'How far a rerun is, and what it found',
    answer: RERUN_DONE,
    otherAnswers: { running: RERUN_BEGUN, 'of one stream': RERUN_OF_STREAM },
    forms: RERUN_FORMS,
  })
  progress(@Param('name') name: string, @Param('rerun_id') rerunId: string): Promise<RerunView> {
    return this.reruns.get(name, rerunId);
  }
}
