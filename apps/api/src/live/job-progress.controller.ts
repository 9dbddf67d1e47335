import { Controller, Get, Headers, Param, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { CommandContext } from '#lib/access';
import { GetJob } from '#lib/jobs';

import { Ctx, Doc, Permission } from '../edge/index.js';
import { EventTail } from './event-tail.js';
import { JobProgress, selectionOfJob } from './job-progress.js';
import { SseSessions } from './sse-sessions.js';
import { PROGRESS } from './tail.examples.js';

const FROM_THE_FIRST = '0';

/** How far a job is, while it runs. */
@Controller('jobs')
export class JobProgressController {
  constructor(
    private readonly queries: QueryBus,
    private readonly tail: EventTail,
    private readonly sessions: SseSessions,
  ) {}

  @Get(':job_id/progress')
  @Permission('jobs.read')
  @Doc({
    summary: 'How far a job is, as server-sent events, until it has ended',
    description:
      'Each stage that the job comes to, from its first or after `Last-Event-ID`, without anything that was said. It ends with the job; what was answered is read at GET /jobs/{job_id}.',
    media: 'text/event-stream',
    answer: PROGRESS,
    headers: ['Last-Event-ID'],
  })
  async progress(
    @Ctx() ctx: CommandContext,
    @Param('job_id') jobId: string,
    @Headers('last-event-id') after: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { result } = await this.queries.execute(new GetJob(ctx, jobId));
    const follow = result.status === 'running';
    const from = after ?? FROM_THE_FIRST;
    const reader = await this.tail.openFor(ctx.principal.id, selectionOfJob(jobId), from, { follow });
    this.sessions.begin(request, reply, new JobProgress(jobId, reader), from);
  }
}
