import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { Principal } from '#lib/access';

import { AliasMap } from '../domain/aliases.js';

export interface ResolvedAlias {
  readonly canonical_key: string | null;
}

/** `sem_resolve_alias`: the key that a phrase means to the asking principal. */
export class ResolveAlias extends Query<ResolvedAlias> {
  constructor(
    readonly principal: Principal,
    readonly text: string,
  ) {
    super();
  }
}

@QueryHandler(ResolveAlias)
export class ResolveAliasHandler implements IQueryHandler<ResolveAlias> {
  constructor(private readonly aliases: AliasMap) {}

  async execute({ principal, text }: ResolveAlias): Promise<ResolvedAlias> {
    const asker = principal.id.startsWith('user_') ? principal.id : null;
    return { canonical_key: this.aliases.resolveAlias(text, asker) };
  }
}
