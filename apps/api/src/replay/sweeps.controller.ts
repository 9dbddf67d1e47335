import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import type { CommandContext } from '#lib/access';
import { type EventStore, positionOf } from '#lib/event-store';
import { Sweeps, type SweepView } from '#lib/replay';

import { Ctx, Doc, type Listed, PageQuery, Permission, upToHead, withEtag } from '../edge/index.js';
import { EVENT_STORE } from '../platform.tokens.js';
import { CancelSweepDto, SweepDto } from './sweeps.dto.js';
import { SWEEP_FORMS, SWEEPING, SWEPT, UNMATCHED } from './sweeps.examples.js';

const DEFAULT_PAGE = 50;

/** Audit replays of every job of the log. */
@Controller('replay/sweeps')
export class SweepsController {
  constructor(
    private readonly sweeps: Sweeps,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  @Post()
  @HttpCode(202)
  @Permission('replay.sweep')
  @Doc({
    summary: 'Replays every job in audit mode, or joins the sweep that does so',
    description:
      'Each job comes to the verdict that a replay of it alone comes to. A REPLAY_SWEEP_REQUEST is recorded at the start and a REPLAY_SWEEP_SUMMARY at the end; only a job that is no match has a replay of its own recorded, with all that follows from it. One sweep runs at a time; CONFLICT names the one that does.',
    request: { threads: 1 },
    answer: SWEEPING,
    otherAnswers: { 'the same request again, later': SWEPT },
    forms: SWEEP_FORMS,
    errors: ['CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
  })
  begin(@Ctx() ctx: CommandContext, @Body() { from, to, threads = 1 }: SweepDto): Promise<SweepView> {
    const part = {
      ...(from === undefined ? {} : { from: positionOf(from) }),
      ...(to === undefined ? {} : { to: positionOf(to) }),
    };
    return this.sweeps.begin({ ...part, threads }, ctx);
  }

  @Get()
  @Permission('replay.sweep')
  @Doc({
    summary: 'Sweeps, newest first',
    answer: { items: [SWEPT], next_cursor: null, position: '1575' },
    forms: Object.fromEntries(Object.entries(SWEEP_FORMS).map(([path, form]) => [`items.${path}`, form])),
  })
  list(@Query() { limit = DEFAULT_PAGE, cursor }: PageQuery): Promise<Listed<SweepView>> {
    return upToHead(this.store, () => this.sweeps.list(limit, cursor));
  }

  @Get(':sweep_id')
  @Permission('replay.sweep')
  @Doc({
    summary: 'How far a sweep is, and what it found',
    answer: SWEPT,
    otherAnswers: { running: SWEEPING, 'with a job that is no match': UNMATCHED },
    forms: SWEEP_FORMS,
    etag: true,
  })
  async get(@Param('sweep_id') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<SweepView> {
    // Before the view: a tag is never newer than what comes with it.
    withEtag(reply, await this.sweeps.revisionOf(id));
    return this.sweeps.get(id);
  }

  @Post(':sweep_id/cancel')
  @HttpCode(200)
  @Permission('replay.sweep')
  @Doc({
    summary: 'Stops a sweep where it is',
    description:
      'How far it came is recorded; another goes on from its `position`. A sweep that has ended stays as it is.',
    request: {},
    answer: { ...SWEEPING, state: 'cancelled', ended_at: SWEPT.ended_at, eta_seconds: null },
    forms: SWEEP_FORMS,
    headers: ['If-Match'],
    errors: ['NOT_FOUND'],
  })
  cancel(@Ctx() ctx: CommandContext, @Param('sweep_id') id: string, @Body() _: CancelSweepDto): Promise<SweepView> {
    return this.sweeps.cancel(id, ctx);
  }
}
