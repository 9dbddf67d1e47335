import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';

import { ListUnreplayable, type UnreplayablePage } from '#lib/jobs';

import { Doc, Permission } from '../edge/index.js';
import { ListUnreplayableQuery } from './halts.dto.js';

const DEFAULT_PAGE = 50;
const EVENT_ID = '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1';
const MISSING = `snapshot:${EVENT_ID}`;

/** Jobs that cannot be replayed. */
@Controller('jobs/unreplayable')
export class UnreplayableController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Permission('jobs.unreplayable')
  @Doc({
    summary: 'Jobs that cannot be replayed, by what is missing, newest first',
    description:
      'Those that said so at their end, and those of which a replay or a check found it later. `counts` has the jobs of each kind, whatever the filter, up to 10,000; `by_artifact` what is missing, with how many of them refer to it.',
    answer: {
      items: [
        {
          job_id: 'job:0123456789abcdef0123456789abcdef',
          missing: 'snapshot',
          artifacts: [MISSING],
          artifact: MISSING,
          found_by: 'replay',
          event_id: EVENT_ID,
          position: 42,
          log_position: '42',
        },
      ],
      next_cursor: null,
      position: '43',
      counts: { snapshot: 1, agent_output: 0, input: 0, record: 0, integrity: 0 },
      at_least: ['snapshot'],
      by_artifact: [
        { artifact: MISSING, missing: 'snapshot', jobs: 1, job_ids: ['job:0123456789abcdef0123456789abcdef'] },
      ],
    },
  })
  list(@Query() { limit = DEFAULT_PAGE, ...filter }: ListUnreplayableQuery): Promise<UnreplayablePage> {
    return this.queries.execute(new ListUnreplayable({ ...filter, limit }));
  }
}
