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

import { Ctx, PageQuery, Permission } from '../edge/index.js';
import { AmendmentDto } from './jobs.dto.js';

const DEFAULT_PAGE = 50;

@Controller('reflective-logs/:log_id')
export class ReflectiveLogsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Permission('reflective-logs.read')
  read(@Ctx() ctx: CommandContext, @Param('log_id') logId: string): Promise<LogView> {
    return this.queries.execute(new ReadLog(ctx, logId));
  }

  /** Always refused: a log is corrected by an amendment beside it. */
  @Patch()
  @Permission('reflective-logs.amend')
  patch(@Ctx() ctx: CommandContext, @Param('log_id') logId: string, @Body() body: JsonObject): Promise<never> {
    return this.commands.execute(new PatchLog(ctx, logId, body));
  }

  @Post('amendments')
  @HttpCode(200)
  @Permission('reflective-logs.amend')
  amend(@Ctx() ctx: CommandContext, @Param('log_id') logId: string, @Body() body: AmendmentDto): Promise<Amendment> {
    return this.commands.execute(new AmendLog(ctx, logId, body.effect, body.changes));
  }

  @Get('amendments')
  @Permission('reflective-logs.read')
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
  verify(@Ctx() ctx: CommandContext, @Param('log_id') logId: string): Promise<LogVerdict> {
    return this.commands.execute(new VerifyLog(ctx, logId));
  }
}
