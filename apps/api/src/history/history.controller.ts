import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import { DiffHistory, type HistoryDiffPage } from '#lib/history';

import { Ctx, Doc, Permission } from '../edge/index.js';
import { DiffQuery } from './history.dto.js';
import { HISTORY_DIFF, HISTORY_FORMS } from './history.examples.js';

const DEFAULT_PAGE = 50;

/** The log at two moments. */
@Controller('history')
export class HistoryController {
  constructor(private readonly queries: QueryBus) {}

  @Get('diff')
  @Permission('history.diff')
  @Doc({
    summary: 'What changed between two positions of the log, stream by stream',
    description:
      'Streams in the order in which the range first touches them, with their states before and after. Personal fields are marks that differ where something was written; `as_of` on the things themselves shows what one may see. A stream that is not what was signed is listed as unreadable, with the reason.',
    answer: HISTORY_DIFF,
    forms: HISTORY_FORMS,
  })
  diff(
    @Ctx() ctx: CommandContext,
    @Query() { from = '0', limit = DEFAULT_PAGE, ...rest }: DiffQuery,
  ): Promise<HistoryDiffPage> {
    return this.queries.execute(new DiffHistory(ctx.principal, { from, limit, ...rest }));
  }
}
