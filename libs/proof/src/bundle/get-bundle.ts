import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import type { Bundle } from '#lib/verifier';

import { BundleBuilder } from './bundle-builder.js';

/** Everything that proves a job, in one document. */
export class GetBundle extends Query<Bundle> {
  constructor(readonly jobId: string) {
    super();
  }
}

@QueryHandler(GetBundle)
export class GetBundleHandler implements IQueryHandler<GetBundle> {
  constructor(private readonly builder: BundleBuilder) {}

  execute({ jobId }: GetBundle): Promise<Bundle> {
    return this.builder.build(jobId);
  }
}
