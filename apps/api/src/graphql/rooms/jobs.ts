import { JobsController } from '../../jobs/jobs.controller.js';
import { ReflectiveLogsController } from '../../jobs/reflective-logs.controller.js';
import { mutation, query } from '../field.js';

/** Jobs: questions, their answers, and the logs of how they came about. */
export const jobFields = [
  query('jobs', JobsController, 'list', 'JobRow'),
  query('jobCounts', JobsController, 'counts', 'JobCounts'),
  query('job', JobsController, 'read', 'Job'),
  query('jobLog', JobsController, 'log', 'ReflectiveLog'),
  query('jobEvents', JobsController, 'events', 'JobEvent'),
  query('jobExplain', JobsController, 'explain', 'JobExplained'),
  query('reflectiveLog', ReflectiveLogsController, 'read', 'ReflectiveLog'),
  query('amendments', ReflectiveLogsController, 'amendments', 'Amendment'),
  mutation('jobAsk', JobsController, 'ask', 'Job', { pending: 'JobUnderway' }),
  mutation('jobFeedback', JobsController, 'feedback', 'JobFeedback'),
  mutation('jobReview', JobsController, 'review', 'JobReviewAsked'),
  mutation('logAmend', ReflectiveLogsController, 'amend', 'AmendmentAdded'),
  mutation('logLabel', ReflectiveLogsController, 'label', 'GroundTruth'),
  mutation('logTag', ReflectiveLogsController, 'tag', 'AuditTag'),
  mutation('logVerify', ReflectiveLogsController, 'verify', 'LogVerdict'),
];
