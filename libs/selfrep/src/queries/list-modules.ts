import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { type ModuleFilter, ModuleIndex, type ModulePage } from '../module-index.js';

/** Modules by node_id. */
export class ListModules extends Query<ModulePage> {
  constructor(readonly filter: ModuleFilter) {
    super();
  }
}

@QueryHandler(ListModules)
export class ListModulesHandler implements IQueryHandler<ListModules> {
  constructor(private readonly index: ModuleIndex) {}

  execute({ filter }: ListModules): Promise<ModulePage> {
    return this.index.list(filter);
  }
}
