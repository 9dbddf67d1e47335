import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';

import type { CommandContext } from '#lib/access';
import {
  GetApt,
  type Pending,
  PostAptEvent,
  RecomputeApt,
  type Recomputed,
  type TrustAnswer,
  type TrustView,
} from '#lib/selfrep';

import { Ctx, Doc, PageQuery, Permission, withEtag } from '../edge/index.js';
import { AptEventDto, RecomputeDto } from './modules.dto.js';

const EVENT_ID = '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1';

/** The trust that modules have earned. */
@Controller('apt')
export class TrustController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('event')
  @HttpCode(200)
  @Permission('apt.event')
  @Doc({
    summary: 'Says something of a module that may move its trust',
    description:
      'A MANUAL_OVERRIDE takes the council: 202 with the request to vote on. If-Match holds what else is said to the ETag of the module; an override cannot be held to it.',
    request: { node_id: 'agent:math_v1', event_type: 'COUNCIL_APPROVAL', payload: { approve: true } },
    answer: {
      event_id: EVENT_ID,
      node_id: 'agent:math_v1',
      event_type: 'COUNCIL_APPROVAL',
      apt_before: 0.5,
      apt_after: 0.5995,
      status: 'degraded',
      position: '42',
    },
    pending: { pending: true, request_id: 'ar-0123456789abcdef0123456789abcdef', node_id: 'agent:math_v1' },
    headers: ['If-Match'],
    errors: ['NOT_FOUND', 'PRIVACY_BLOCKED', 'IDEMPOTENCY_KEY_REUSED'],
  })
  async post(
    @Ctx() ctx: CommandContext,
    @Body() { node_id, event_type, payload = {} }: AptEventDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TrustAnswer | Pending> {
    const done = await this.commands.execute(new PostAptEvent(ctx, node_id, event_type, payload));
    if ('pending' in done) void reply.code(202);
    return done;
  }

  @Get(':node_id')
  @Permission('modules.read')
  @Doc({
    summary: 'A module’s trust, and what moved it, newest first',
    answer: {
      node_id: 'agent:math_v1',
      apt: 0.5995,
      status: 'degraded',
      trust_events: 1,
      history: [
        {
          event_id: EVENT_ID,
          event_type: 'COUNCIL_APPROVAL',
          timestamp_seeded: '2025-06-01T12:00:00.000Z',
          recorded_at: '2026-11-21T12:00:00.000Z',
          recorded_at_is: 'signed',
          apt_before: 0.5,
          apt_after: 0.5995,
        },
      ],
      next_cursor: null,
    },
    etag: true,
    errors: ['NOT_FOUND'],
  })
  async read(
    @Param('node_id') nodeId: string,
    @Query() page: PageQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TrustView> {
    const { view, revision } = await this.queries.execute(new GetApt(nodeId, page));
    withEtag(reply, revision);
    return view;
  }

  @Post('recompute')
  @HttpCode(200)
  @Permission('apt.recompute')
  @Doc({
    summary: 'Computes a module’s trust anew from its stream, and says whether it equals the stored one',
    request: { node_id: 'agent:math_v1' },
    answer: {
      node_id: 'agent:math_v1',
      apt: 0.5995,
      recomputed_apt: 0.5995,
      equal: true,
      outcomes: 1,
      first_difference: null,
    },
    forms: { first_difference: { type: ['string', 'null'] } },
    changesNothing: true,
    errors: ['NOT_FOUND', 'INTEGRITY_FAILURE'],
  })
  recompute(@Ctx() ctx: CommandContext, @Body() { node_id }: RecomputeDto): Promise<Recomputed> {
    return this.queries.execute(new RecomputeApt(ctx.principal, node_id));
  }
}
