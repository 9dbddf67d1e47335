import { Body, Controller, Get, Headers, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';

import { type CommandContext, ElevationRequiredError } from '#lib/access';
import type { EventStore } from '#lib/event-store';
import {
  Ask,
  AskForReview,
  CountJobs,
  type EventView,
  type ExplainedJob,
  ExplainJob,
  GetJob,
  GiveFeedback,
  type JobCountList,
  type JobPage,
  type JobResult,
  ListJobEvents,
  ListJobs,
  type LogView,
  ReadJobLog,
  type ReviewAsked,
  type ReviewedResult,
} from '#lib/jobs';
import { type JsonObject, MaceError } from '#lib/kernel';

import { Ctx, Doc, type Listed, Permission, UnredactedQuery, upToHead, withEtag } from '../edge/index.js';
import { EVENT_STORE } from '../platform.tokens.js';
import { AskDto, CountJobsQuery, FeedbackDto, JobEventsQuery, ListJobsQuery, ReviewDto } from './jobs.dto.js';
import {
  COUNT_FORMS,
  ERASED_FAILURE,
  EVENT_FORMS,
  EVENT_PAGE,
  EXPLAINED,
  EXPLAINED_FORMS,
  FAILED_JOB,
  FEEDBACK,
  JOB,
  JOB_COUNTS,
  JOB_FORMS,
  JOB_PAGE,
  REVIEW_ASKED,
  REVIEWED_JOB,
  ROW_FORMS,
  RUNNING_JOB,
  UNDERWAY,
} from './jobs.examples.js';
import { LOG, LOG_FORMS } from './reflective-logs.examples.js';
import { checkTags } from './tags.js';

/** After this long a job is answered with 202 and goes on. */
const PATIENCE_MS = 30_000;
const DEFAULT_PAGE = 50;
/** A whole job, as a rule. */
const MAX_PAGE = 200;

interface Underway {
  readonly job_id: string;
  readonly status: 'running';
}

@Controller('jobs')
export class JobsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  /** Asks a question as a job, and waits for its sealed answer unless `Prefer: respond-async` says otherwise. */
  @Post()
  @HttpCode(200)
  @Permission('jobs.create')
  @Doc({
    summary: 'Asks a question as a job, and waits for its sealed answer',
    description:
      'After 30 seconds, or at once with `Prefer: respond-async`, 202: the job goes on. A job without an answer is answered with its error; GET /jobs/{job_id} has it too. An admin may name another person by `user_id`: that is recorded first, and what the job then writes to memory asks for elevation, as PUT /sem does.',
    request: { query_text: 'What is my favorite color?', context_tags: { locale: 'en' } },
    answer: JOB,
    otherAnswers: { 'asked again, of somebody who was erased': ERASED_FAILURE },
    pending: UNDERWAY,
    forms: JOB_FORMS,
    headers: ['Prefer'],
    errors: [
      'JOB_SEED_CONFLICT',
      'SEM_NOT_FOUND',
      'SEM_WRITE_FAIL',
      'ROUTER_NO_MATCH',
      'ROUTER_NO_SNAPSHOT',
      'AGENT_TIMEOUT',
      'LLM_SERVICE_DOWN',
      'COUNCIL_DEADLOCK',
      'REPAIR_LIMIT_EXCEEDED',
      'MISSING_SNAPSHOT',
    ],
  })
  async ask(
    @Ctx() ctx: CommandContext,
    @Body() body: AskDto,
    @Headers('prefer') prefer: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JobResult | Underway> {
    checkTags(body.context_tags);
    const patience = prefersAsync(prefer) ? 0 : PATIENCE_MS;
    const result = await this.commands.execute(new Ask(ctx, body, patience));
    if (result.status !== 'running') return answered(result);
    void reply.code(202);
    return { job_id: result.job_id, status: 'running' };
  }

  @Get()
  @Permission('jobs.read')
  @Doc({
    summary: 'Jobs, newest first: one’s own, everybody’s for those who operate and audit',
    description:
      'Filters hold together. A page may have fewer items than `limit`, also none, while `next_cursor` goes on: so many jobs are looked at for one page, and no more.',
    answer: JOB_PAGE,
    forms: ROW_FORMS,
  })
  list(@Ctx() ctx: CommandContext, @Query() { limit = DEFAULT_PAGE, ...filter }: ListJobsQuery): Promise<JobPage> {
    return this.queries.execute(new ListJobs(ctx, { ...filter, limit }));
  }

  @Get('counts')
  @Permission('jobs.counts')
  @Doc({
    summary: 'How many jobs began and ended over time, by result, error and duration',
    description:
      'One count a step, in order; the first holds `from_time`, the last what is before `to_time`: the last 60 steps where neither is said, 500 at most. A job begins when it was asked for and ends when its end was recorded; release 0.1 recorded no such time. Median and 95th percentile are estimated from a histogram.',
    answer: JOB_COUNTS,
    forms: COUNT_FORMS,
  })
  counts(@Ctx() { now }: CommandContext, @Query() wanted: CountJobsQuery): Promise<JobCountList> {
    return this.queries.execute(new CountJobs({ ...wanted, now }));
  }

  @Get(':job_id')
  @Permission('jobs.read')
  @Doc({
    summary: 'A job as it stands, with its error where it has no answer',
    answer: JOB,
    otherAnswers: { running: RUNNING_JOB, failed: FAILED_JOB, reviewed: REVIEWED_JOB },
    forms: JOB_FORMS,
    etag: true,
  })
  async read(
    @Ctx() ctx: CommandContext,
    @Param('job_id') jobId: string,
    @Query() { unredacted }: UnredactedQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReviewedResult> {
    const { result, version } = await this.queries.execute(new GetJob(ctx, jobId, unredacted));
    withEtag(reply, version);
    return result;
  }

  @Get(':job_id/log')
  @Permission('jobs.read')
  @Doc({
    summary: 'The ReflectiveLog of a job, with what was said of it later',
    answer: LOG,
    forms: LOG_FORMS,
    etag: true,
    errors: ['LOG_INVALID', 'CONFLICT', 'WAIT_TIMEOUT'],
  })
  async log(
    @Ctx() ctx: CommandContext,
    @Param('job_id') jobId: string,
    @Query() { unredacted }: UnredactedQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LogView> {
    const { view, version } = await this.queries.execute(new ReadJobLog(ctx, jobId, unredacted));
    withEtag(reply, version);
    return view;
  }

  @Get(':job_id/events')
  @Permission('jobs.read')
  @Doc({ summary: 'The events of a job, in order', answer: EVENT_PAGE, forms: EVENT_FORMS })
  events(
    @Ctx() ctx: CommandContext,
    @Param('job_id') jobId: string,
    @Query() { limit = MAX_PAGE, cursor, unredacted, type }: JobEventsQuery,
  ): Promise<Listed<EventView>> {
    const asked = new ListJobEvents(ctx, jobId, limit, cursor, unredacted, type);
    return upToHead(this.store, () => this.queries.execute(asked));
  }

  @Get(':job_id/explain')
  @Permission('jobs.read')
  @Doc({
    summary: 'Why a job was decided as it was; every part names its event',
    description:
      'From the answer back to votes, agent, scores, snapshots and the revisions of memory that were read, as data and as a page of text. Operators, auditors and admins see it without what was said.',
    answer: EXPLAINED,
    forms: EXPLAINED_FORMS,
  })
  explain(
    @Ctx() ctx: CommandContext,
    @Param('job_id') jobId: string,
    @Query() { unredacted }: UnredactedQuery,
  ): Promise<ExplainedJob> {
    return this.queries.execute(new ExplainJob(ctx, jobId, unredacted));
  }

  @Post(':job_id/feedback')
  @HttpCode(200)
  @Permission('jobs.feedback')
  @Doc({
    summary: 'What the owner of a job thinks of its answer',
    request: { upvote: true, comment: 'right' },
    answer: FEEDBACK,
    headers: ['If-Match'],
    errors: ['LOG_INVALID', 'WAIT_TIMEOUT'],
  })
  feedback(@Ctx() ctx: CommandContext, @Param('job_id') jobId: string, @Body() body: FeedbackDto): Promise<JsonObject> {
    return this.commands.execute(new GiveFeedback(ctx, jobId, body.upvote, body.comment));
  }

  @Post(':job_id/review')
  @HttpCode(202)
  @Permission('jobs.review')
  @Doc({
    summary: 'The yes of a job’s owner to the human review that the job offered',
    description:
      'Once a job, and only after COUNCIL_DEADLOCK, REPAIR_LIMIT_EXCEEDED or LOW_CONFIDENCE. The council sees the question, the answers and the votes in GET /actionrequest/{id}; its ruling comes back as the `review` of GET /jobs/{job_id}. The job itself, and its replay, stay as they are.',
    request: { comment: 'I need it for an exam.' },
    answer: REVIEW_ASKED,
    headers: ['If-Match'],
    errors: ['CONFLICT', 'LOG_INVALID', 'WAIT_TIMEOUT'],
  })
  review(@Ctx() ctx: CommandContext, @Param('job_id') jobId: string, @Body() body: ReviewDto): Promise<ReviewAsked> {
    return this.commands.execute(new AskForReview(ctx, jobId, body.comment));
  }
}

/** RFC 7240: preferences in a list, by name without regard to case. */
function prefersAsync(prefer: string | undefined): boolean {
  return (prefer ?? '').split(',').some((preference) => preference.trim().toLowerCase() === 'respond-async');
}

/** A job without an answer is answered with its error's status and envelope (spec/failures.md). */
function answered(result: JobResult): JobResult {
  if (!result.error) return result;
  const { error_code, developer_message, meta } = result.error;
  // Of a job, that is a write which wanted a second factor; the caller is asked for it as a direct write's would be.
  if (error_code === 'UNAUTHENTICATED') throw new ElevationRequiredError(developer_message, meta);
  throw new MaceError(error_code, developer_message, meta);
}
