import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { Principal } from '#lib/access';

import { moduleView } from '../domain/view.js';
import type { FoundModule } from '../modules.js';
import { ModuleReader } from '../module-reader.js';
import { Callability } from '../ports.js';

/** One module, now or as of a position. */
export class GetModule extends Query<FoundModule> {
  constructor(
    readonly principal: Principal,
    readonly nodeId: string,
    readonly asOf?: string,
  ) {
    super();
  }
}

@QueryHandler(GetModule)
export class GetModuleHandler implements IQueryHandler<GetModule> {
  constructor(
    private readonly reader: ModuleReader,
    private readonly callability: Callability,
  ) {}

  async execute({ principal, nodeId, asOf }: GetModule): Promise<FoundModule> {
    const module =
      asOf === undefined ? await this.reader.get(nodeId) : await this.reader.getAsOf(nodeId, asOf, principal.id);
    return { view: moduleView(module, this.callability.whyNot(module)), revision: module.revision };
  }
}
