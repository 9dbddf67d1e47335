import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';

import type { CommandContext } from '#lib/access';
import { GetReplay, REPLAY_MODES, type ReplayMode, type ReplayResult, RequestReplay } from '#lib/replay';

import { Ctx, Permission } from '../edge/index.js';

/** POST /replay/request. */
export class ReplayDto {
  @IsString()
  @MinLength(1)
  @MaxLength(160)
  job_id!: string;

  @IsOptional()
  @IsIn(REPLAY_MODES)
  mode?: ReplayMode;
}

/** A replay with where it stands; `verdict` is set once it is done. */
type ReplayAnswer = ReplayResult & { readonly status: 'done' };

@Controller('replay')
export class ReplayController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('request')
  @HttpCode(200)
  @Permission('replay.request')
  async request(@Ctx() ctx: CommandContext, @Body() body: ReplayDto): Promise<ReplayAnswer> {
    return done(await this.commands.execute(new RequestReplay(ctx, body.job_id, body.mode ?? 'audit')));
  }

  @Get(':replay_id')
  @Permission('replay.read')
  async read(@Param('replay_id') replayId: string): Promise<ReplayAnswer> {
    return done(await this.queries.execute(new GetReplay(replayId)));
  }
}

function done(result: ReplayResult): ReplayAnswer {
  return { ...result, status: 'done' };
}
