import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { AmendLogHandler } from './commands/amend-log.js';
import { LabelLogHandler, TagLogHandler } from './commands/annotate-log.js';
import { AskHandler } from './commands/ask.js';
import { AskForReviewHandler } from './commands/ask-for-review.js';
import { GiveFeedbackHandler } from './commands/give-feedback.js';
import { PatchLogHandler } from './commands/patch-log.js';
import { DecideRouteHandler, RouteQueryHandler } from './commands/route-query.js';
import { VerifyLogHandler } from './commands/verify-log.js';
import { CountJobsHandler } from './queries/count-jobs.js';
import { ExplainJobHandler } from './queries/explain-job.js';
import { GetJobHandler } from './queries/get-job.js';
import { ListJobEventsHandler } from './queries/list-job-events.js';
import { ListJobsHandler } from './queries/list-jobs.js';
import { ListUnreplayableHandler } from './queries/list-unreplayable.js';
import { PreviewRoutesHandler } from './queries/preview-routes.js';
import { ReadJobLogHandler, ReadLogHandler } from './queries/read-log.js';

/** Handlers of jobs and their logs; what they stand on comes from the platform. */
@Module({
  imports: [CqrsModule],
  providers: [
    AskHandler,
    AskForReviewHandler,
    AmendLogHandler,
    LabelLogHandler,
    TagLogHandler,
    GiveFeedbackHandler,
    PatchLogHandler,
    DecideRouteHandler,
    RouteQueryHandler,
    VerifyLogHandler,
    CountJobsHandler,
    ExplainJobHandler,
    GetJobHandler,
    ListJobEventsHandler,
    ListJobsHandler,
    ListUnreplayableHandler,
    PreviewRoutesHandler,
    ReadLogHandler,
    ReadJobLogHandler,
  ],
})
export class JobsModule {}
