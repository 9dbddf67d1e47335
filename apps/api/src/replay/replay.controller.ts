import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';

import type { CommandContext } from '#lib/access';
import { canonicalize } from '#lib/kernel';
import {
  ForceContinueReplay,
  GetReplay,
  ListReplays,
  type ReplayPage,
  type ReplayView,
  RequestReplay,
} from '#lib/replay';

import { Ctx, Doc, Permission, UnredactedQuery, withEtag } from '../edge/index.js';
import { ForceContinueDto, ListReplaysQuery, ReplayDto } from './replay.dto.js';
import { FORCED, LIST_FORMS, LISTED, MATCH, MISMATCH, REPLAY_FORMS } from './replay.examples.js';

const DEFAULT_PAGE = 50;

/** A replay with where it stands; `verdict` is set once it is done. */
type ReplayAnswer = ReplayView & { readonly status: 'done' };

@Controller('replay')
export class ReplayController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('request')
  @HttpCode(200)
  @Permission('replay.request')
  @Doc({
    summary: 'Replays a job and compares it with its record',
    description:
      'The proof is written beside the job; the job itself is never touched. A replay that ran answers 200 with its verdict, a difference included; one that was refused answers 409 with `meta.replay_id`. What a person said is redacted in a difference, unless `unredacted=true` asks for it, on record. Mocks that hold personal data are refused; a replay on others is on record as a look at the job, since its verdict confirms or refutes what somebody guesses.',
    request: { job_id: MATCH.job_id, mode: 'audit' },
    answer: MATCH,
    otherAnswers: { mismatch: MISMATCH },
    forms: REPLAY_FORMS,
    errors: ['NOT_FOUND', 'MISSING_SNAPSHOT', 'MISSING_PERSISTED_AGENT_OUTPUT', 'REPLAY_TIMEOUT'],
  })
  async request(
    @Ctx() ctx: CommandContext,
    @Body() body: ReplayDto,
    @Query() { unredacted }: UnredactedQuery,
  ): Promise<ReplayAnswer> {
    const { job_id, mode = 'audit', mocks, approval_id } = body;
    const order = { job_id, mode, ...(mocks ? { mocks } : {}), ...(approval_id === undefined ? {} : { approval_id }) };
    return done(await this.commands.execute(new RequestReplay(ctx, order, unredacted)));
  }

  @Get()
  @Permission('replay.read')
  @Doc({
    summary: 'Replays, newest first',
    answer: { items: [LISTED], next_cursor: null, position: '42' },
    forms: LIST_FORMS,
  })
  list(@Query() query: ListReplaysQuery): Promise<ReplayPage> {
    const { limit = DEFAULT_PAGE, ...filter } = query;
    return this.queries.execute(new ListReplays({ ...filter, limit }));
  }

  @Get(':replay_id')
  @Permission('replay.read')
  @Doc({
    summary: 'A replay and its verdict',
    answer: MATCH,
    otherAnswers: { mismatch: MISMATCH },
    forms: REPLAY_FORMS,
    etag: true,
    errors: ['CONFLICT'],
  })
  async read(
    @Ctx() ctx: CommandContext,
    @Param('replay_id') replayId: string,
    @Query() { unredacted }: UnredactedQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReplayAnswer> {
    const { view, revision } = await this.queries.execute(new GetReplay(ctx, replayId, unredacted));
    withEtag(reply, revision);
    return done(view);
  }

  @Post(':replay_id/force_continue')
  @HttpCode(200)
  @Permission('replay.force_continue')
  @Doc({
    summary: 'Goes on past the difference at which a replay stopped',
    description:
      'Takes the council’s approval of exactly this difference: the first call asks for it and is refused with `meta.action_request_id`. What comes of it is never authoritative.',
    request: {},
    answer: FORCED,
    forms: REPLAY_FORMS,
    headers: ['If-Match'],
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      'FORCE_CONTINUE_REQUIRED',
      'INTEGRITY_FAILURE',
      'MISSING_SNAPSHOT',
      'MISSING_PERSISTED_AGENT_OUTPUT',
      'REPLAY_TIMEOUT',
    ],
  })
  async forceContinue(
    @Ctx() ctx: CommandContext,
    @Param('replay_id') replayId: string,
    @Body() _: ForceContinueDto,
    @Query() { unredacted }: UnredactedQuery,
  ): Promise<ReplayAnswer> {
    return done(await this.commands.execute(new ForceContinueReplay(ctx, replayId, unredacted)));
  }
}

/** In canonical order: what was just found and what is read again are the same bytes. */
function done(view: ReplayView): ReplayAnswer {
  return JSON.parse(canonicalize({ ...view, status: 'done' })) as ReplayAnswer;
}
