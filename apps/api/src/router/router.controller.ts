import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { IsObject, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';

import type { CommandContext } from '#lib/access';
import { type DecidedRoute, DecideRoute, RouteQuery } from '#lib/jobs';
import type { Stage0Route } from '#lib/routing';

import { Ctx, Doc, Permission } from '../edge/index.js';
import { checkTags } from '../jobs/tags.js';
import { DECIDED, TRACE_FORMS } from './router.examples.js';

/** POST /router/route and /router/decide. */
export class RouteDto {
  /** At most 8,000 characters. */
  @IsString()
  @MinLength(1)
  query_text!: string;

  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(256)
  user_id?: string;

  /** Texts by name. */
  @IsOptional()
  @IsObject()
  context_tags?: Record<string, string>;
}

/** Where queries go, without a job. */
@Controller('router')
export class RouterController {
  constructor(private readonly commands: CommandBus) {}

  /** The seed's nine rules, as they stand; an absent user_id means no user, never the token's. */
  @Post('route')
  @HttpCode(200)
  @Permission('router.route')
  @Doc({
    summary: 'Which agent the nine rules of stage 0 give a query',
    description: 'By the router policy in force; each decision is recorded.',
    request: { query_text: '2+2' },
    answer: { agent_id: 'math_agent', route_reason: 'math_detect', depth: 1 },
    errors: ['PRIVACY_BLOCKED', 'ROUTER_NO_MATCH'],
  })
  route(@Ctx() ctx: CommandContext, @Body() body: RouteDto): Promise<Stage0Route> {
    checkTags(body.context_tags);
    return this.commands.execute(new RouteQuery(ctx, body));
  }

  @Post('decide')
  @HttpCode(200)
  @Permission('router.decide')
  @Doc({
    summary: 'Which agent a job of yours would ask, and why',
    description:
      'By the snapshots in force, which the trace names beside every candidate’s score; each decision is recorded. For oneself: another’s user_id is refused.',
    request: { query_text: 'What is 6 * 7?' },
    answer: DECIDED,
    forms: TRACE_FORMS,
    errors: ['PRIVACY_BLOCKED', 'ROUTER_NO_MATCH', 'ROUTER_NO_SNAPSHOT'],
  })
  decide(@Ctx() ctx: CommandContext, @Body() body: RouteDto): Promise<DecidedRoute> {
    checkTags(body.context_tags);
    return this.commands.execute(new DecideRoute(ctx, body));
  }
}
