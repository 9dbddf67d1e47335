import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { IsObject, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';

import { MaceError } from '#lib/kernel';
import { routeStage0, type Stage0Config, type Stage0Route } from '#lib/routing';

import { Doc, Permission } from '../edge/index.js';
import { checkTags } from '../jobs/tags.js';
import { configFile } from '../configuration-files.js';
import { personalDataIn } from '../jobs/query-screen.js';

/** POST /router/route. */
export class RouteDto {
  @IsString()
  @MinLength(1)
  @MaxLength(8000)
  query_text!: string;

  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(256)
  user_id?: string;

  @IsOptional()
  @IsObject()
  context_tags?: Record<string, string>;
}

@Controller('router')
export class RouterController {
  private readonly rules = configFile('router')['stage0'] as unknown as Stage0Config;

  /** The seed's nine rules, as they stand; an absent user_id means no user, never the token's. */
  @Post('route')
  @HttpCode(200)
  @Permission('router.route')
  @Doc({
    summary: 'Which agent the nine rules of stage 0 give a query',
    request: { query_text: '2+2' },
    answer: { agent_id: 'math_agent', route_reason: 'math_detect', depth: 1 },
    changesNothing: true,
    errors: ['ROUTER_NO_MATCH'],
  })
  route(@Body() body: RouteDto): Stage0Route {
    checkTags(body.context_tags);
    const routed = routeStage0(body, this.rules, (text) => personalDataIn(text).length > 0);
    if ('error_code' in routed)
      throw new MaceError(routed.error_code, 'the Stage-0 rules give no agent for this query');
    return routed;
  }
}
