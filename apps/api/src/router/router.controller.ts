import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsObject,
  IsOptional,
  IsString,
  MaxLength,
  MinLength,
} from 'class-validator';

import type { CommandContext } from '#lib/access';
import { type DecidedRoute, DecideRoute, PreviewRoutes, RouteQuery, type RoutesPreview } from '#lib/jobs';
import type { JsonObject } from '#lib/kernel';
import type { Stage0Route } from '#lib/routing';

import { Ctx, Doc, Permission } from '../edge/index.js';
import { checkTags } from '../jobs/tags.js';
import { DECIDED, PREVIEWED, PREVIEW_FORMS, TRACE_FORMS } from './router.examples.js';

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

/** POST /router/preview. */
export class PreviewDto {
  /** At most 100, each of at most 8,000 characters. */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @MinLength(1, { each: true })
  queries!: string[];

  /** A merge patch (RFC 7396) of the router policy, as it would be proposed; absent: the policy in force. */
  @IsOptional()
  @IsObject()
  change?: JsonObject;
}

/** Where queries go, without a job. */
@Controller('router')
export class RouterController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

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

  @Post('preview')
  @HttpCode(200)
  @Permission('router.decide')
  @Doc({
    summary: 'Where queries of yours would go, also under a router policy that nobody has approved yet',
    description:
      'In the order of the queries, whose words are not repeated; one with personal data goes nowhere. Nothing is recorded. A `change` that could not be proposed is refused as it would be then.',
    request: { queries: ['What is 6 * 7?'] },
    answer: PREVIEWED,
    forms: PREVIEW_FORMS,
    changesNothing: true,
    errors: ['ROUTER_NO_SNAPSHOT'],
  })
  preview(@Ctx() ctx: CommandContext, @Body() body: PreviewDto): Promise<RoutesPreview> {
    return this.queries.execute(new PreviewRoutes(ctx, body));
  }
}
