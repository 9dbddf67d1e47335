import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import { Doc, Public } from '../edge/index.js';
import { Metrics } from './metrics.js';

const EXAMPLE = `# HELP mace_events_appended_total Events that this process has stored
# TYPE mace_events_appended_total counter
mace_events_appended_total{type="JOB_ACCEPTED"} 17
`;

/** For whoever watches over the process, without a token; not there where it is served on a port of its own. */
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Public()
  @Doc({
    summary: 'What the process counts and measures, for Prometheus',
    description:
      'Text format 0.0.4. Labels are patterns of routes, types of events, names of projections, commands and agents; never paths, ids or anything of a person. Where MACE_METRICS_PORT is set, metrics are served on that port and not here.',
    media: 'text/plain',
    answer: EXAMPLE,
    errors: ['NOT_FOUND'],
  })
  async read(@Res() reply: FastifyReply): Promise<void> {
    const { contentType, text } = await this.metrics.read();
    void reply.header('content-type', contentType).send(text);
  }
}
