import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import { JobCounts, type CountsWanted, type JobCountList } from '../job-counts.js';

/** How many jobs began and ended over time, of everybody. */
export class CountJobs extends Query<JobCountList> {
  constructor(readonly wanted: CountsWanted) {
    super();
  }
}

@QueryHandler(CountJobs)
export class CountJobsHandler implements IQueryHandler<CountJobs> {
  constructor(private readonly counts: JobCounts) {}

  execute({ wanted }: CountJobs): Promise<JobCountList> {
    return this.counts.list(wanted);
  }
}
