import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';

import { type CommandContext, hasRole, requireElevated } from '#lib/access';
import { DsrQueue } from '#lib/dsr';
import {
  ApproveRequest,
  CreateActionRequest,
  GetActionRequest,
  ListActionRequests,
  type RequestPage,
  type RequestView,
  VoteOnRequest,
} from '#lib/governance';
import { Modules } from '#lib/selfrep';

import { Ctx, Doc, Permission, UnredactedQuery, withEtag } from '../edge/index.js';
import {
  DECIDED,
  LISTED,
  LISTED_FORMS,
  PENDING,
  READ_REQUEST_FORMS,
  REQUEST_ERRORS,
  REQUEST_FORMS,
} from './governance.examples.js';
import { ApproveDto, CreateRequestDto, ListRequestsQuery, VoteDto } from './governance.dto.js';
import { namedPayload } from './named-payload.js';

const DEFAULT_PAGE = 50;

type DecisionsPage = RequestPage & { readonly dsr_waiting: number };

/** Actions that need somebody's approval, and what people say to them. */
@Controller('actionrequest')
export class ActionRequestsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly dsrQueue: DsrQueue,
    private readonly modules: Modules,
  ) {}

  @Post('create')
  @HttpCode(200)
  @Permission('actionrequest.create')
  @Doc({
    summary: 'Asks for a governed action',
    description: 'Its class follows from the action. Nothing is done before it is approved.',
    request: {
      kind: 'sem_put',
      payload: { action: 'sem_put', key: 'world/physics/ohms_law/definition', value: 'V = IR' },
      justification: 'named in three answers of today',
      evidence: ['ep:3f2a'],
    },
    answer: PENDING,
    forms: REQUEST_FORMS,
    etag: true,
    errors: ['PRIVACY_BLOCKED', 'NOT_FOUND', 'IMMUTABLE_FIELD', ...REQUEST_ERRORS],
  })
  async create(
    @Ctx() ctx: CommandContext,
    @Body() { kind, payload, justification, evidence }: CreateRequestDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RequestView> {
    // Agents and operators ask in the course of their work; who decides on others' affairs shows a second factor.
    if (ctx.actor.role === 'council' || ctx.actor.role === 'admin') requireElevated(ctx.principal);
    // An agent whose module is out of service asks for nothing either (seed 000, E).
    if (hasRole(ctx.principal, 'agent')) await this.modules.refuseBlockedAgent(ctx.principal);
    const requested = { payload: namedPayload(kind, payload), justification, ...(evidence ? { evidence } : {}) };
    return tagged(reply, await this.commands.execute(new CreateActionRequest(ctx, requested)));
  }

  @Get()
  @Permission('actionrequest.read')
  @Doc({
    summary: 'Requests, newest first',
    description:
      'One’s own; everybody’s for those who decide, operate and audit. `dsr_waiting` is how many deletions of people’s data wait for the caller’s decision too, at most 200: they stand in `GET /dsr?state=waiting_for_approval`.',
    answer: { items: [LISTED], next_cursor: null, position: '42', dsr_waiting: 0 },
    forms: LISTED_FORMS,
  })
  async list(@Ctx() ctx: CommandContext, @Query() query: ListRequestsQuery): Promise<DecisionsPage> {
    const { limit = DEFAULT_PAGE, ...filter } = query;
    const page = await this.queries.execute(new ListActionRequests(ctx.principal, { ...filter, limit }));
    return { ...page, dsr_waiting: await this.dsrQueue.waiting(ctx.principal) };
  }

  @Get(':id')
  @Permission('actionrequest.read')
  @Doc({
    summary: 'One request, with its proposal and the digest that votes sign',
    answer: PENDING,
    forms: READ_REQUEST_FORMS,
    etag: true,
  })
  async read(
    @Ctx() ctx: CommandContext,
    @Param('id') id: string,
    @Query() { unredacted }: UnredactedQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RequestView> {
    return tagged(reply, await this.queries.execute(new GetActionRequest(ctx, id, unredacted)));
  }

  @Post(':id/vote')
  @HttpCode(200)
  @Permission('actionrequest.vote')
  @Doc({
    summary: 'A vote on a request',
    description:
      'One a member, never on one’s own request; decided with the third counted vote. A second or late vote is a conflict.',
    request: { vote: 'approve', proposal_digest: PENDING.proposal_digest, reason: 'checked' },
    answer: DECIDED,
    forms: REQUEST_FORMS,
    headers: ['If-Match'],
    etag: true,
    errors: REQUEST_ERRORS,
  })
  async vote(
    @Ctx() ctx: CommandContext,
    @Param('id') id: string,
    @Body() { vote, proposal_digest, reason }: VoteDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RequestView> {
    const say = { proposal_digest, ...(reason === undefined ? {} : { reason }) };
    return tagged(reply, await this.commands.execute(new VoteOnRequest(ctx, id, vote, say)));
  }

  @Post(':id/approve')
  @HttpCode(200)
  @Permission('actionrequest.approve')
  @Doc({
    summary: 'One admin’s approval of a request of the low class',
    description: 'On a request that an emergency has begun for: the second signature.',
    request: { proposal_digest: PENDING.proposal_digest },
    answer: { ...DECIDED, required_approval_type: 'admin_single', risk_class: 'low' },
    forms: REQUEST_FORMS,
    headers: ['If-Match'],
    etag: true,
    errors: REQUEST_ERRORS,
  })
  async approve(
    @Ctx() ctx: CommandContext,
    @Param('id') id: string,
    @Body() { proposal_digest, reason }: ApproveDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RequestView> {
    const say = { proposal_digest, ...(reason === undefined ? {} : { reason }) };
    return tagged(reply, await this.commands.execute(new ApproveRequest(ctx, id, say)));
  }
}

function tagged(reply: FastifyReply, view: RequestView): RequestView {
  withEtag(reply, view.version - 1);
  return view;
}
