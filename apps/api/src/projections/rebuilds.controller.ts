import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import { type CommandContext, provenanceOf } from '#lib/access';
import type { EventStore } from '#lib/event-store';
import { TextScreen } from '#lib/governance';
import { pageAfter } from '#lib/kernel';
import { Rebuilds, type RebuildView } from '#lib/projections';

import { Ctx, Doc, type Listed, PageQuery, Permission, upToHead, withEtag } from '../edge/index.js';
import { EVENT_STORE } from '../platform.tokens.js';
import { BecauseDto } from './projections.dto.js';
import {
  REBUILD_CANCELLED,
  REBUILD_FORMS,
  REBUILD_READY,
  REBUILD_ROLLED_BACK,
  REBUILD_RUNNING,
  REBUILD_SWAPPED,
  REBUILD_SWAPPING,
} from './rebuilds.examples.js';

/** As many as are kept. */
const DEFAULT_PAGE = 50;

/** Read models made anew beside the live ones, and what becomes of them. */
@Controller('projections')
export class RebuildsController {
  constructor(
    private readonly rebuilds: Rebuilds,
    private readonly screen: TextScreen,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  @Post(':name/rebuild')
  @HttpCode(202)
  @Permission('projections.rebuild')
  @Doc({
    summary: 'Makes a read model anew beside the live one, which goes on answering',
    description:
      'Without effects, and strict: an event that it cannot take ends it. It ends in state `ready` with the digests of both at one position; swapping is a command of its own. One at a time for each projection. After a kill it goes on where it was.',
    request: { reason: 'after the repair of the disk' },
    answer: REBUILD_RUNNING,
    otherAnswers: { 'the same request again, later': REBUILD_READY },
    forms: REBUILD_FORMS,
    errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
  })
  begin(@Ctx() ctx: CommandContext, @Param('name') name: string, @Body() body: BecauseDto): Promise<RebuildView> {
    return this.rebuilds.begin(name, provenanceOf(ctx), this.reasonOf(body));
  }

  @Get(':name/rebuilds')
  @Permission('projections.read')
  @Doc({
    summary: 'Rebuilds of a projection, newest first; the last 50',
    answer: { items: [REBUILD_READY], next_cursor: null, position: '1575' },
    forms: Object.fromEntries(Object.entries(REBUILD_FORMS).map(([path, form]) => [`items.${path}`, form])),
  })
  list(
    @Param('name') name: string,
    @Query() { limit = DEFAULT_PAGE, cursor }: PageQuery,
  ): Promise<Listed<RebuildView>> {
    const page = { limit, cursor };
    return upToHead(this.store, async () => pageAfter(await this.rebuilds.list(name), (one) => one.rebuild_id, page));
  }

  @Get(':name/rebuilds/:rebuild_id')
  @Permission('projections.read')
  @Doc({
    summary: 'How far a rebuild is, and what came of it',
    answer: REBUILD_READY,
    otherAnswers: { running: REBUILD_RUNNING, swapped: REBUILD_SWAPPED },
    forms: REBUILD_FORMS,
    etag: true,
  })
  async get(
    @Param('name') name: string,
    @Param('rebuild_id') rebuildId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RebuildView> {
    // Before the view: a tag is never newer than what comes with it.
    withEtag(reply, await this.rebuilds.revisionOf(name, rebuildId));
    return this.rebuilds.get(name, rebuildId);
  }

  @Post(':name/rebuilds/:rebuild_id/cancel')
  @HttpCode(200)
  @Permission('projections.rebuild')
  @Doc({
    summary: 'Ends a rebuild that runs or is ready; what it made is dropped',
    request: { reason: 'not needed any more' },
    answer: REBUILD_CANCELLED,
    headers: ['If-Match'],
    forms: REBUILD_FORMS,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  cancel(
    @Ctx() ctx: CommandContext,
    @Param('name') name: string,
    @Param('rebuild_id') rebuildId: string,
    @Body() body: BecauseDto,
  ): Promise<RebuildView> {
    return this.rebuilds.cancel(name, rebuildId, provenanceOf(ctx), this.reasonOf(body), ctx);
  }

  @Post(':name/rebuilds/:rebuild_id/swap')
  @HttpCode(200)
  @Permission('projections.rebuild')
  @Doc({
    summary: 'Answers queries from what was rebuilt',
    description:
      'In one step, once it holds everything that the live one held; nobody reads back in time. The one before is kept for a rollback until the next swap. What takes longer than some seconds is answered as `swapping` and goes on.',
    request: { reason: 'the digests are the same' },
    answer: REBUILD_SWAPPED,
    headers: ['If-Match'],
    otherAnswers: { 'under way': REBUILD_SWAPPING },
    forms: REBUILD_FORMS,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  swap(
    @Ctx() ctx: CommandContext,
    @Param('name') name: string,
    @Param('rebuild_id') rebuildId: string,
    @Body() body: BecauseDto,
  ): Promise<RebuildView> {
    return this.rebuilds.swap(name, rebuildId, provenanceOf(ctx), this.reasonOf(body), ctx);
  }

  @Post(':name/rebuilds/:rebuild_id/rollback')
  @HttpCode(200)
  @Permission('projections.rebuild')
  @Doc({
    summary: 'Answers queries again from the generation before the last swap',
    description: 'Brought up first to where the other one was. It can be swapped again while it is kept.',
    request: { reason: 'a list lacks documents' },
    answer: REBUILD_ROLLED_BACK,
    headers: ['If-Match'],
    forms: REBUILD_FORMS,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  rollBack(
    @Ctx() ctx: CommandContext,
    @Param('name') name: string,
    @Param('rebuild_id') rebuildId: string,
    @Body() body: BecauseDto,
  ): Promise<RebuildView> {
    return this.rebuilds.rollBack(name, rebuildId, provenanceOf(ctx), this.reasonOf(body), ctx);
  }

  private reasonOf({ reason }: BecauseDto): string | null {
    return reason === undefined ? null : this.screen.redact(reason);
  }
}
