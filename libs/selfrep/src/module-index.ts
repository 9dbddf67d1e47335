import { liveGeneration, ReadModel } from '#lib/projections';
import type { Condition, ReadStore } from '#lib/read-store';

import type { ModuleStatus, ModuleType } from './domain/module.events.js';
import { moduleView, type ModuleView } from './domain/view.js';
import type { Callability } from './ports.js';
import { moduleOf, MODULES, selfrepProjection } from './read-models/selfrep.projection.js';

export interface ModulePage {
  readonly items: readonly ModuleView[];
  readonly next_cursor: string | null;
  /** Everything up to here is in the list. */
  readonly position: string;
}

export interface ModuleFilter {
  readonly type?: ModuleType;
  readonly status?: ModuleStatus;
  readonly limit?: number;
  readonly cursor?: string;
}

const DEFAULT_PAGE = 50;

/** The list of modules, by node_id, as far as the read model is. */
export class ModuleIndex {
  private readonly model: ReadModel;

  constructor(
    private readonly documents: ReadStore,
    private readonly callability: Callability,
  ) {
    this.model = new ReadModel(documents, selfrepProjection);
  }

  /** @throws MaceError INVALID_INPUT for a cursor that is none */
  async list({ type, status, limit = DEFAULT_PAGE, cursor }: ModuleFilter): Promise<ModulePage> {
    const checkpoint = await this.documents.checkpoint(await liveGeneration(this.documents, selfrepProjection));
    const where: Condition[] = [];
    if (type !== undefined) where.push({ field: 'type', equals: type });
    if (status !== undefined) where.push({ field: 'status', equals: status });
    const found = await this.model.find(MODULES.name, { where, limit, ...(cursor === undefined ? {} : { cursor }) });
    const items = found.documents
      .map(({ body }) => moduleOf(body))
      .map((module) => moduleView(module, this.callability.whyNot(module)));
    return { items, next_cursor: found.next, position: checkpoint?.position ?? '0' };
  }
}
