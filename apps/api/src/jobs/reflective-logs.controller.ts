import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import {
  type Amendment,
  AmendLog,
  type LogVerdict,
  type LogView,
  type Page,
  pageOf,
  PatchLog,
  ReadLog,
  VerifyLog,
} from '#lib/jobs';
import type { JsonObject } from '#lib/kernel';

import { Ctx, Doc, PageQuery, Permission } from '../edge/index.js';
import { AmendmentDto } from './jobs.dto.js';
import { AMENDMENT, AMENDMENT_FORMS, INVALID_VERDICT, LOG, LOG_FORMS, VERDICT } from './reflective-logs.examples.js';

const DEFAULT_PAGE = 50;

@Controller('reflective-logs/:log_id')
export class ReflectiveLogsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Permission('reflective-logs.read')
  @Doc({
    summary: 'A ReflectiveLog, with what was said of it later',
    answer: LOG,
    forms: LOG_FORMS,
    errors: ['LOG_INVALID', 'WAIT_TIMEOUT'],
  })
  read(@Ctx() ctx: CommandContext, @Param('log_id') logId: string): Promise<LogView> {
    return this.queries.execute(new ReadLog(ctx, logId));
  }

  /** Always refused: a log is corrected by an amendment beside it. */
  @Patch()
  @Permission('reflective-logs.amend')
  @Doc({
    summary: 'Always refused: a log is corrected by an amendment beside it',
    request: { final_answer: 'red' },
    refused: true,
    errors: ['IMMUTABLE_FIELD', 'LOG_INVALID', 'WAIT_TIMEOUT'],
  })
  patch(@Ctx() ctx: CommandContext, @Param('log_id') logId: string, @Body() body: JsonObject): Promise<never> {
    return this.commands.execute(new PatchLog(ctx, logId, body));
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
    errors: ['LOG_INVALID', 'WAIT_TIMEOUT'],
  })
  amend(@Ctx() ctx: CommandContext, @Param('log_id') logId: string, @Body() body: AmendmentDto): Promise<Amendment> {
    return this.commands.execute(new AmendLog(ctx, logId, body.effect, body.changes));
  }

  @Get('amendments')
  @Permission('reflective-logs.read')
  @Doc({
    summary: 'The amendments beside a log, oldest first',
    answer: { items: [AMENDMENT], next_cursor: null },
    forms: AMENDMENT_FORMS,
    errors: ['LOG_INVALID', 'WAIT_TIMEOUT'],
  })
  async amendments(
    @Ctx() ctx: CommandContext,
    @Param('log_id') logId: string,
    @Query() page: PageQuery,
  ): Promise<Page<Amendment>> {
    const { amendments } = await this.queries.execute(new ReadLog(ctx, logId));
    return pageOf(amendments, page.limit ?? DEFAULT_PAGE, page.cursor);
  }

  @Post('verify')
  @HttpCode(200)
  @Permission('reflective-logs.verify')
  @Doc({
    summary: 'Checks a log against what was signed; one that fails is quarantined',
    answer: VERDICT,
    otherAnswers: { invalid: INVALID_VERDICT },
    errors: ['WAIT_TIMEOUT'],
  })
  verify(@Ctx() ctx: CommandContext, @Param('log_id') logId: string): Promise<LogVerdict> {
    return this.commands.execute(new VerifyLog(ctx, logId));
  }
}
