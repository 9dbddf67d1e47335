import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';

import type { CommandContext } from '#lib/access';
import {
  BRAINSTATE_DEFAULTS,
  type BrainStatePage,
  type BrainStateView,
  CreateBrainStateSnapshot,
  GetBrainState,
  GetRoutingHints,
  InsertIntoMemory,
  ListBrainStates,
  ListTicks,
  type RoutingHints,
  TickBrainState,
  type TickPage,
  type TickView,
} from '#lib/brainstate';
import type { EventStore } from '#lib/event-store';
import { refuseOversize, refuseUnfit } from '#lib/memory';

import { Ctx, Doc, type Listed, PageQuery, Permission, upToHead, withEtag } from '../edge/index.js';
import { EVENT_STORE } from '../platform.tokens.js';
import {
  CreateSnapshotDto,
  InsertDto,
  ListBrainStatesQuery,
  QueryBrainStateDto,
  ReadBrainStateQuery,
  TickDto,
} from './brainstate.dto.js';

const ID = '5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d13f2a9c0d';
const EVENT_ID = '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1';
const STATE = {
  brainstate_snapshot_id: ID,
  brainstate_id: 'bs:demo:2025-03-01T10:00:00.001Z',
  job_seed: 'demo',
  timestamp_seeded: '2025-03-01T10:00:00.001Z',
  tick: 1,
  goals: [],
  WM: [],
  CWM: { topic: '', tokens_used: 0, items: [] },
  attention: { attention_gain: 0.675, explore_bias: 0.1755, reward_signal: 0.8 },
  resource_budget: { token_budget: 2048, max_depth_allowed: 2 },
  recent_failures: [],
  constants: { ...BRAINSTATE_DEFAULTS },
  config_hash: EVENT_ID,
  last_updated: '2026-11-21T12:00:00.000Z',
  redacted: false,
  erased: false,
};
const NULLABLE = { type: ['string', 'null'] };
const UPDATED = {
  ...NULLABLE,
  description:
    'Real time: when its newest tick, or its snapshot where there is none, was recorded; null where release 0.1 did so, whose events say none.',
};
/** The shared default has no seed, and so no seeded time. */
const STATE_FORMS = {
  brainstate_id: NULLABLE,
  job_seed: NULLABLE,
  timestamp_seeded: NULLABLE,
  last_updated: UPDATED,
  'CWM.topic': {},
  constants: { type: 'object' },
};

const DEFAULT_PAGE = 50;
const PAGE = {
  items: [
    {
      job_id: 'job:bfb1808141396b618258ab032021660b',
      brainstate_snapshot_id: null,
      brainstate_id: 'bs:demo:2025-03-01T10:00:00.001Z',
      user_id: 'user_tuff',
      tick: 1,
      attention: STATE.attention,
      resource_budget: STATE.resource_budget,
      goals: 1,
      recent_failures: 0,
      last_updated: '2026-11-21T12:00:00.000Z',
    },
  ],
  next_cursor: null,
  position: '43',
};
const PAGE_FORMS = {
  'items.job_id': NULLABLE,
  'items.brainstate_snapshot_id': NULLABLE,
  'items.brainstate_id': NULLABLE,
  'items.last_updated': UPDATED,
  'items.attention': { type: ['object', 'null'] },
  'items.resource_budget': { type: ['object', 'null'] },
};

const TICKS = {
  brainstate_snapshot_id: ID,
  items: [
    {
      tick: 1,
      attention: STATE.attention,
      resource_budget: STATE.resource_budget,
      goals: [{ goal_id: 'g1', type: 'answer', status: 'succeeded', priority: 0.9, attempts: 0 }],
      recent_failures: 0,
      event_id: EVENT_ID,
      position: '43',
      recorded_at: '2026-11-21T12:00:00.000Z',
    },
  ],
  next_cursor: null,
  position: '43',
};
const TICK_FORMS = {
  'items.event_id': NULLABLE,
  'items.position': NULLABLE,
  'items.recorded_at': NULLABLE,
};

/** The workspace of a job before and beside it: goals, working memory, attention. */
@Controller('brainstate')
export class BrainStateController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  @Post('create_snapshot')
  @HttpCode(200)
  @Permission('brainstate.change')
  @Doc({
    summary: 'Makes the snapshot on which your job of this seed will run',
    description: 'Signed, kept for good, without personal data; the same request gives the same snapshot.',
    request: { job_seed: 'demo', goals: [{ type: 'answer', priority: 0.9, origin: 'user' }] },
    answer: { brainstate_snapshot_id: ID },
    errors: ['PRIVACY_BLOCKED', 'JOB_SEED_CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
  })
  async create(
    @Ctx() ctx: CommandContext,
    @Body() body: CreateSnapshotDto,
  ): Promise<{ readonly brainstate_snapshot_id: string }> {
    return { brainstate_snapshot_id: await this.commands.execute(new CreateBrainStateSnapshot(ctx, body)) };
  }

  @Post('insert')
  @HttpCode(200)
  @Permission('brainstate.change')
  @Doc({
    summary: 'Records what a later tick may take into working memory',
    description: 'Personal data in it is replaced by its type before anything is recorded.',
    request: { brainstate_snapshot_id: ID, type: 'user_hint', value: 'prefers short answers', ttl_ticks: 3 },
    answer: { event_id: EVENT_ID },
    headers: ['If-Match'],
    errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
  })
  async insert(@Ctx() ctx: CommandContext, @Body() body: InsertDto): Promise<{ readonly event_id: string }> {
    refuseOversize(body);
    refuseUnfit(body);
    return { event_id: await this.commands.execute(new InsertIntoMemory(ctx, body)) };
  }

  @Post('tick')
  @HttpCode(200)
  @Permission('brainstate.change')
  @Doc({
    summary: 'Advances a BrainState by one step',
    description:
      'On signed events that exist: insertions of its own, decisions of a council, feedback; each of them once.',
    request: { brainstate_snapshot_id: ID, event_ids: [EVENT_ID] },
    answer: STATE,
    forms: STATE_FORMS,
    headers: ['If-Match'],
    errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
  })
  tick(@Ctx() ctx: CommandContext, @Body() body: TickDto): Promise<BrainStateView> {
    return this.commands.execute(new TickBrainState(ctx, body.brainstate_snapshot_id, body.event_ids));
  }

  @Post('query')
  @HttpCode(200)
  @Permission('brainstate.read')
  @Doc({
    summary: 'What the router would be told',
    request: { brainstate_snapshot_id: ID },
    answer: { max_depth_allowed: 1, prefer_high_APT: true, allow_explore: false },
    errors: ['NOT_FOUND'],
  })
  query(@Ctx() ctx: CommandContext, @Body() body: QueryBrainStateDto): Promise<RoutingHints> {
    return this.queries.execute(new GetRoutingHints(ctx, body.brainstate_snapshot_id));
  }

  @Get()
  @Permission('brainstate.list')
  @Doc({
    summary: 'BrainStates of jobs and those that were prepared, newest first',
    description:
      'As far as the read model `brainstate` is, which `position` says. What one holds in mind is not in the list: it is read by its id, and of a job in its events.',
    answer: PAGE,
    forms: PAGE_FORMS,
  })
  list(@Query() { limit = DEFAULT_PAGE, ...filter }: ListBrainStatesQuery): Promise<BrainStatePage> {
    return this.queries.execute(new ListBrainStates({ ...filter, limit }));
  }

  @Get(':id/ticks')
  @Permission('brainstate.list')
  @Doc({
    summary: 'A BrainState from tick to tick, in figures, oldest first',
    description:
      'Of a snapshot, or of a job from the snapshot on that it pinned: tick 0 is the snapshot itself. A page may have fewer items than `limit`, also none, while `next_cursor` goes on: what was inserted between two ticks is passed over.',
    answer: TICKS,
    forms: TICK_FORMS,
    errors: ['NOT_FOUND'],
  })
  ticks(
    @Param('id') id: string,
    @Query() { limit = DEFAULT_PAGE, cursor }: PageQuery,
  ): Promise<Listed<TickView> & Pick<TickPage, 'brainstate_snapshot_id'>> {
    return upToHead(this.store, () => this.queries.execute(new ListTicks(id, limit, cursor)));
  }

  @Get(':snapshot_id')
  @Permission('brainstate.read')
  @Doc({
    summary: 'A BrainState, now or as of a position',
    description: 'Operators and auditors see what kinds of things it holds, admin and council see what they say.',
    answer: STATE,
    forms: STATE_FORMS,
    etag: true,
    errors: ['NOT_FOUND'],
  })
  async read(
    @Ctx() ctx: CommandContext,
    @Param('snapshot_id') snapshotId: string,
    @Query() query: ReadBrainStateQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BrainStateView> {
    const { view, version } = await this.queries.execute(
      new GetBrainState(ctx, snapshotId, query.as_of, query.unredacted),
    );
    withEtag(reply, version);
    return view;
  }
}
