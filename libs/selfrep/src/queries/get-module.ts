import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { moduleView } from '../domain/view.js';
import type { FoundModule } from '../modules.js';
import { ModuleReader } from '../module-reader.js';

/** One module, now or as of a position. */
export class GetModule extends Query<FoundModule> {
  constructor(
    readonly nodeId: string,
    readonly asOf?: string,
  ) {
    super();
  }
}

@QueryHandler(GetModule)
export class GetModuleHandler implements IQueryHandler<GetModule> {
  constructor(private readonly reader: ModuleReader) {}

  async execute({ nodeId, asOf }: GetModule): Promise<FoundModule> {
    const module = await this.reader.get(nodeId, asOf);
    return { view: moduleView(module), revision: module.revision };
  }
}
