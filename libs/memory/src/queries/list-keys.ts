import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { Principal } from '#lib/access';

import { SemIndex, type KeyPage } from '../sem-index.js';
import { requireAdmin } from '../sem-reader.js';

/** `sem_list(prefix)`: the keys that hold a value, in key order. */
export class ListKeys extends Query<KeyPage> {
  constructor(
    readonly principal: Principal,
    readonly prefix: string,
    readonly page: { readonly limit?: number; readonly cursor?: string },
  ) {
    super();
  }
}

@QueryHandler(ListKeys)
export class ListKeysHandler implements IQueryHandler<ListKeys> {
  constructor(private readonly index: SemIndex) {}

  async execute({ principal, prefix, page }: ListKeys): Promise<KeyPage> {
    requireAdmin(principal, 'the list of keys');
    return this.index.list(prefix, page);
  }
}
