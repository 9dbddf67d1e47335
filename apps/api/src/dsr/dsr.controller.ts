import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';

import type { CommandContext } from '#lib/access';
import {
  ApproveDsr,
  type DsrPage,
  type DsrView,
  ExportData,
  type Exported,
  FileDsr,
  GetDsr,
  type HoldsPage,
  type LegalHold,
  type LegalHoldPlaced,
  LiftLegalHold,
  ListDsr,
  ListLegalHolds,
  PlaceLegalHold,
  RefuseDsr,
  type VersionedDsr,
} from '#lib/dsr';

import { Ctx, Doc, PageQuery, Permission, withEtag } from '../edge/index.js';
import { FileDsrDto, LiftHoldDto, ListDsrQuery, PlaceHoldDto, RefuseDsrDto } from './dsr.dto.js';
import {
  APPROVED_DSR,
  DSR_FORMS,
  DSR_ID_EXAMPLE,
  ERASED_DSR,
  EXPORTED,
  HOLD,
  HOLD_FORMS,
  LIFTED_HOLD,
  LISTED_HOLD,
  QUEUE_FORMS,
  QUEUED_DSR,
  REFUSED_DSR,
  WAITING_DSR,
} from './dsr.examples.js';

const DEFAULT_PAGE = 50;
const HOLDS_FORMS = Object.fromEntries(Object.entries(HOLD_FORMS).map(([name, form]) => [`items.${name}`, form]));

/** Requests of people about what is recorded of them; spec/privacy.md, "Data-subject requests". */
@Controller('dsr')
export class DsrController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('request')
  @HttpCode(200)
  @Permission('dsr.request')
  @Doc({
    summary: 'Asks for a person’s data, or for its deletion',
    description:
      'The person proves who they are by a one-time code: `identity_proof: {otp}`; a wrong one is 401 and counts for the lock. An elevated admin files for another with `{document_ref, reason}`. An export is ready at once; a deletion waits for an admin or the council.',
    request: { kind: 'delete', user_id: 'tuff', identity_proof: { otp: '492039' } },
    answer: { dsr_id: DSR_ID_EXAMPLE },
    errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT', 'PRIVACY_BLOCKED', 'RATE_LIMITED', 'IDEMPOTENCY_KEY_REUSED'],
  })
  file(@Ctx() ctx: CommandContext, @Body() form: FileDsrDto): Promise<{ readonly dsr_id: string }> {
    return this.commands.execute(new FileDsr(ctx, { ...form }));
  }

  @Get()
  @Permission('dsr.read')
  @Doc({
    summary: 'Data-subject requests, oldest first',
    description:
      'Of all people for admins and the council; one’s own for everybody else. `due_at` is until when a deletion is to be decided on; what is due first stands first.',
    answer: { items: [QUEUED_DSR], next_cursor: null, position: '43' },
    forms: QUEUE_FORMS,
  })
  list(@Ctx() ctx: CommandContext, @Query() { limit = DEFAULT_PAGE, ...query }: ListDsrQuery): Promise<DsrPage> {
    return this.queries.execute(new ListDsr(ctx, { ...query, limit }));
  }

  @Get('holds')
  @Permission('dsr.holds')
  @Doc({
    summary: 'Legal holds, oldest first, those that were lifted included',
    answer: { items: [LISTED_HOLD], next_cursor: null, position: '43' },
    forms: HOLDS_FORMS,
  })
  holds(@Query() { limit = DEFAULT_PAGE, ...page }: PageQuery): Promise<HoldsPage> {
    return this.queries.execute(new ListLegalHolds({ ...page, limit }));
  }

  @Post('holds')
  @HttpCode(200)
  @Permission('dsr.hold')
  @Doc({
    summary: 'Places a legal hold on forensic evidence',
    description: 'No deletion removes evidence that a hold names. A second hold on the same evidence is the first one.',
    request: { evidence_ref: HOLD.evidence_ref, reason: HOLD.reason },
    answer: HOLD,
    errors: ['PRIVACY_BLOCKED', 'IDEMPOTENCY_KEY_REUSED'],
  })
  hold(@Ctx() ctx: CommandContext, @Body() { evidence_ref, reason }: PlaceHoldDto): Promise<LegalHoldPlaced> {
    return this.commands.execute(new PlaceLegalHold(ctx, evidence_ref, reason));
  }

  @Post('holds/:hold_id/lift')
  @HttpCode(200)
  @Permission('dsr.lift-hold')
  @Doc({
    summary: 'Lifts a legal hold',
    description:
      'For an elevated admin or member of the council. Evidence that the hold kept of somebody who was erased meanwhile is deleted after this answer.',
    request: { reason: LIFTED_HOLD.lifted_because },
    answer: LIFTED_HOLD,
    forms: HOLD_FORMS,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRIVACY_BLOCKED', 'IDEMPOTENCY_KEY_REUSED'],
  })
  lift(
    @Ctx() ctx: CommandContext,
    @Param('hold_id') holdId: string,
    @Body() { reason }: LiftHoldDto,
  ): Promise<LegalHold> {
    return this.commands.execute(new LiftLegalHold(ctx, holdId, reason));
  }

  @Get(':dsr_id')
  @Permission('dsr.read')
  @Doc({
    summary: 'How a data-subject request stands',
    description: 'For the person, whoever filed it, admins and the council. When it is erased, with what was removed.',
    answer: WAITING_DSR,
    otherAnswers: { 'an erased person': ERASED_DSR, 'a refused deletion': REFUSED_DSR },
    forms: DSR_FORMS,
    etag: true,
    errors: ['NOT_FOUND'],
  })
  async show(
    @Ctx() ctx: CommandContext,
    @Param('dsr_id') dsrId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DsrView> {
    return shown(await this.queries.execute(new GetDsr(ctx, dsrId)), reply);
  }

  @Post(':dsr_id/approve')
  @HttpCode(200)
  @Permission('dsr.approve')
  @Doc({
    summary: 'Allows a deletion',
    description:
      'For an elevated admin or member of the council; takes `{}`. The deletion is carried out after this answer, takes at least 30 seconds and is final.',
    answer: APPROVED_DSR,
    forms: DSR_FORMS,
    headers: ['If-Match'],
    etag: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async approve(
    @Ctx() ctx: CommandContext,
    @Param('dsr_id') dsrId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DsrView> {
    return shown(await this.commands.execute(new ApproveDsr(ctx, dsrId)), reply);
  }

  @Post(':dsr_id/refuse')
  @HttpCode(200)
  @Permission('dsr.refuse')
  @Doc({
    summary: 'Refuses a deletion, with a reason that the person is told',
    description:
      'For an elevated admin or member of the council, before it is approved. It ends the request; another can be filed.',
    request: { reason: REFUSED_DSR.refusal_reason },
    answer: REFUSED_DSR,
    forms: DSR_FORMS,
    headers: ['If-Match'],
    etag: true,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRIVACY_BLOCKED'],
  })
  async refuse(
    @Ctx() ctx: CommandContext,
    @Param('dsr_id') dsrId: string,
    @Body() { reason }: RefuseDsrDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DsrView> {
    return shown(await this.commands.execute(new RefuseDsr(ctx, dsrId, reason)), reply);
  }

  @Get(':dsr_id/export')
  @Permission('dsr.export')
  @Doc({
    summary: 'The package of a request to export',
    description:
      'For the person only; recorded each time. The package is the same each time, unless something in it was revoked or erased since; `digest` is the SHA-256 of its canonical JSON.',
    answer: EXPORTED,
    forms: {
      'package.memory': { type: 'object' },
      'package.records.data': { type: 'object' },
    },
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  take(@Ctx() ctx: CommandContext, @Param('dsr_id') dsrId: string): Promise<Exported> {
    return this.commands.execute(new ExportData(ctx, dsrId));
  }
}

function shown({ view, revision }: VersionedDsr, reply: FastifyReply): DsrView {
  withEtag(reply, revision);
  return view;
}
