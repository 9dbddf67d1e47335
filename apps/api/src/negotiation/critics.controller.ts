import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import { type CriticPage, ListCritics } from '#lib/negotiation';

import { Ctx, Doc, PageQuery, Permission } from '../edge/index.js';
import { CRITIC_FORMS, CRITIC_PAGE } from './negotiations.examples.js';

const DEFAULT_PAGE = 50;

/** The registry of critics, looked at; critics speak for themselves over gRPC. */
@Controller('critics')
export class CriticsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Permission('critics.list')
  @Doc({
    summary: 'Registered critics and how each is, the newest registration first',
    description:
      'A critic is `healthy` while it was heard of within the last minute and does not say that it fails or shuts down; `state` is the AgentState of `sw4rm.registry` that it said last, null before its first heartbeat. Who never registered may vote and is not listed.',
    answer: CRITIC_PAGE,
    forms: CRITIC_FORMS,
  })
  list(@Ctx() { now }: CommandContext, @Query() { limit = DEFAULT_PAGE, ...rest }: PageQuery): Promise<CriticPage> {
    return this.queries.execute(new ListCritics({ ...rest, limit }, now));
  }
}
