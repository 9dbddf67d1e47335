import { Body, Controller, Get, HttpCode, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';

import type { CommandContext } from '#lib/access';
import type { EventStore } from '#lib/event-store';
import {
  type Amendment,
  AmendLog,
  type AuditTag,
  type GroundTruth,
  LabelLog,
  type LogVerdict,
  type LogView,
  pageOf,
  PatchLog,
  ReadLog,
  TagLog,
  VerifyLog,
} from '#lib/jobs';
import { type JsonObject, MaceError } from '#lib/kernel';

import {
  Ctx,
  Doc,
  type Listed,
  Permission,
  UnredactedPageQuery,
  UnredactedQuery,
  upToHead,
  withEtag,
} from '../edge/index.js';
import { EVENT_STORE } from '../platform.tokens.js';
import { AmendmentDto, AuditTagDto, GroundTruthDto } from './jobs.dto.js';
import {
  AMENDMENT,
  AMENDMENT_FORMS,
  AUDIT_TAG_ADDED,
  AUDIT_TAG_FORMS,
  GROUND_TRUTH,
  GROUND_TRUTH_FORMS,
  INVALID_VERDICT,
  LOG,
  LOG_FORMS,
  VERDICT,
} from './reflective-logs.examples.js';

const DEFAULT_PAGE = 50;

@Controller('reflective-logs/:log_id')
export class ReflectiveLogsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  @Get()
  @Permission('reflective-logs.read')
  @Doc({
    summary: 'A ReflectiveLog, with what was said of it later',
    answer: LOG,
    forms: LOG_FORMS,
    etag: true,
    errors: ['LOG_INVALID', 'WAIT_TIMEOUT'],
  })
  async read(
    @Ctx() ctx: CommandContext,
    @Param('log_id') logId: string,
    @Query() { unredacted }: UnredactedQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LogView> {
    const { view, version } = await this.queries.execute(new ReadLog(ctx, logId, unredacted));
    withEtag(reply, version);
    return view;
  }

  /** Always refused: a log is corrected by an amendment beside it. */
  @Patch()
  @Permission('reflective-logs.amend')
  @Doc({
    summary: 'Always refused: a log is corrected by an amendment beside it',
    request: { final_answer: 'red' },
    refused: true,
    headers: ['If-Match'],
    errors: ['IMMUTABLE_FIELD', 'LOG_INVALID', 'WAIT_TIMEOUT'],
  })
  patch(@Ctx() ctx: CommandContext, @Param('log_id') logId: string, @Body() body: unknown): Promise<never> {
    return this.commands.execute(new PatchLog(ctx, logId, membersOf(body)));
  }

  @Post('amendments')
  @HttpCode(200)
  @Permission('reflective-logs.amend')
  @Doc({
    summary: 'Adds an amendment beside a log',
    description: 'Personal data in it is replaced by its type before anything is recorded.',
    request: { effect: 'note', changes: { note: 'checked by hand' } },
    answer: AMENDMENT,
    forms: AMENDMENT_FORMS,
    headers: ['If-Match'],
    errors: ['LOG_INVALID', 'WAIT_TIMEOUT'],
  })
  amend(@Ctx() ctx: CommandContext, @Param('log_id') logId: string, @Body() body: AmendmentDto): Promise<Amendment> {
    return this.commands.execute(new AmendLog(ctx, logId, body.effect, body.changes));
  }

  @Get('amendments')
  @Permission('reflective-logs.read')
  @Doc({
    summary: 'The amendments beside a log, oldest first',
    answer: { items: [AMENDMENT], next_cursor: null, position: '1575' },
    forms: AMENDMENT_FORMS,
    errors: ['LOG_INVALID', 'WAIT_TIMEOUT'],
  })
  amendments(
    @Ctx() ctx: CommandContext,
    @Param('log_id') logId: string,
    @Query() { limit = DEFAULT_PAGE, cursor, unredacted }: UnredactedPageQuery,
  ): Promise<Listed<Amendment>> {
    return upToHead(this.store, async () => {
      const { view } = await this.queries.execute(new ReadLog(ctx, logId, unredacted));
      return pageOf(view.amendments, limit, cursor);
    });
  }

  @Post('ground_truth')
  @HttpCode(200)
  @Permission('reflective-logs.label')
  @Doc({
    summary: 'Says whether the job’s answer was right, once a person',
    description:
      'The label stands beside the log, and the trust in the module that gave the answer follows it as a GROUND_TRUTH_LABEL. POST /apt/event is for what is said of a module without a job.',
    request: { correct: true, note: 'as the person said it' },
    answer: GROUND_TRUTH,
    forms: GROUND_TRUTH_FORMS,
    headers: ['If-Match'],
    errors: ['CONFLICT', 'INTEGRITY_FAILURE', 'WAIT_TIMEOUT'],
  })
  label(
    @Ctx() ctx: CommandContext,
    @Param('log_id') logId: string,
    @Body() { correct, note }: GroundTruthDto,
  ): Promise<GroundTruth> {
    return this.commands.execute(new LabelLog(ctx, logId, correct, note));
  }

  @Post('audit_tags')
  @HttpCode(200)
  @Permission('reflective-logs.tag')
  @Doc({
    summary: 'Adds an admin’s tag beside a log',
    request: { tag: 'sample-2026-q4', note: 'drawn for the quarterly look' },
    answer: AUDIT_TAG_ADDED,
    forms: AUDIT_TAG_FORMS,
    headers: ['If-Match'],
    errors: ['CONFLICT', 'INTEGRITY_FAILURE', 'WAIT_TIMEOUT'],
  })
  tag(
    @Ctx() ctx: CommandContext,
    @Param('log_id') logId: string,
    @Body() { tag, note }: AuditTagDto,
  ): Promise<AuditTag> {
    return this.commands.execute(new TagLog(ctx, logId, tag, note));
  }

  @Post('verify')
  @HttpCode(200)
  @Permission('reflective-logs.verify')
  @Doc({
    summary: 'Checks a log against what was signed; one that fails is quarantined',
    description: 'A log in quarantine that holds again is released where an admin with a second factor asks.',
    answer: VERDICT,
    otherAnswers: { invalid: INVALID_VERDICT },
    headers: ['If-Match'],
    errors: ['WAIT_TIMEOUT'],
  })
  verify(@Ctx() ctx: CommandContext, @Param('log_id') logId: string): Promise<LogVerdict> {
    return this.commands.execute(new VerifyLog(ctx, logId));
  }
}

/** @throws MaceError INVALID_INPUT for a body that has no members, or that is not there */
function membersOf(body: unknown): JsonObject {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject;
  throw new MaceError('INVALID_INPUT', 'body: an object');
}
