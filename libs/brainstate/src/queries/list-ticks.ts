import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

import { BrainStateTicks, type TickPage } from '../brainstate-ticks.js';

/** A BrainState from tick to tick, in figures. */
export class ListTicks extends Query<TickPage> {
  constructor(
    /** Of a snapshot or a job. */
    readonly id: string,
    readonly limit: number,
    readonly cursor: string | undefined,
  ) {
    super();
  }
}

@QueryHandler(ListTicks)
export class ListTicksHandler implements IQueryHandler<ListTicks> {
  constructor(private readonly ticks: BrainStateTicks) {}

  execute({ id, limit, cursor }: ListTicks): Promise<TickPage> {
    return this.ticks.page(id, limit, cursor);
  }
}
