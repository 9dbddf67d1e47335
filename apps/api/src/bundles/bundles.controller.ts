import { Controller, Get, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';

import { GetBundle } from '#lib/proof';
import type { Bundle } from '#lib/verifier';

import { Doc, Permission } from '../edge/index.js';
import { BUNDLE, BUNDLE_FORMS } from './bundles.examples.js';

/** What a third party needs to check a job without this server. */
@Controller('audit/bundle')
export class BundlesController {
  constructor(private readonly queries: QueryBus) {}

  @Get(':job_id')
  @Permission('audit.bundle')
  @Doc({
    summary: 'Everything that proves a job, in one document: `mace verify` checks it without server or network',
    description:
      'Save the answer as it comes, or have `mace bundle` pack it. Personal fields are as stored, encrypted. Of what was said of the log later it holds the beginning, and `said_later` how much that is. Waits for a checkpoint that covers the job, and for its witness.',
    answer: BUNDLE,
    forms: BUNDLE_FORMS,
    errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_INPUT', 'MISSING_SNAPSHOT', 'INTEGRITY_FAILURE', 'DATA_UNAVAILABLE'],
  })
  bundle(@Param('job_id') jobId: string): Promise<Bundle> {
    return this.queries.execute(new GetBundle(jobId));
  }
}
