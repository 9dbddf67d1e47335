import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';

import type { CommandContext } from '#lib/access';
import { GetReplay, REPLAY_MODES, type ReplayMode, type ReplayResult, RequestReplay } from '#lib/replay';

import { Ctx, Doc, Permission } from '../edge/index.js';
import { MATCH, MISMATCH, REPLAY_FORMS } from './replay.examples.js';

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
  @Doc({
    summary: 'Replays a job and compares it with its record',
    description: 'The proof is written beside the job; the job itself is never touched.',
    request: { job_id: MATCH.job_id, mode: 'audit' },
    answer: MATCH,
    otherAnswers: { mismatch: MISMATCH },
    forms: REPLAY_FORMS,
    errors: ['NOT_FOUND', 'MISSING_SNAPSHOT', 'MISSING_PERSISTED_AGENT_OUTPUT'],
  })
  async request(@Ctx() ctx: CommandContext, @Body() body: ReplayDto): Promise<ReplayAnswer> {
    return done(await this.commands.execute(new RequestReplay(ctx, body.job_id, body.mode ?? 'audit')));
  }

  @Get(':replay_id')
  @Permission('replay.read')
  @Doc({
    summary: 'A replay and its verdict',
    answer: MATCH,
    otherAnswers: { mismatch: MISMATCH },
    forms: REPLAY_FORMS,
    errors: ['CONFLICT'],
  })
  async read(@Param('replay_id') replayId: string): Promise<ReplayAnswer> {
    return done(await this.queries.execute(new GetReplay(replayId)));
  }
}

function done(result: ReplayResult): ReplayAnswer {
  return { ...result, status: 'done' };
}
