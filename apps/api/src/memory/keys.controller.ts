import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import { ListKeys, RegisterKey, ResolveAlias, type KeyPage, type RegisteredKey, type ResolvedAlias } from '#lib/memory';

import { Ctx, Doc, Permission } from '../edge/index.js';
import { ListKeysQuery, RegisterKeyDto, ResolveQuery } from './memory.dto.js';

/** Keys of memory: which there are, how they are made, what phrases mean them. */
@Controller('sem')
export class SemKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Permission('sem.list')
  @Doc({
    summary: 'The keys that begin with a prefix, in key order',
    answer: { items: ['user/profile/user_tuff/favorite_color'], next_cursor: null, position: '42' },
  })
  list(@Ctx() ctx: CommandContext, @Query() { prefix = '', ...page }: ListKeysQuery): Promise<KeyPage> {
    return this.queries.execute(new ListKeys(ctx.principal, prefix, page));
  }

  @Post('keys')
  @HttpCode(200)
  @Permission('sem.keys')
  @Doc({
    summary: 'The canonical key of raw names',
    description: 'Two different raw identities never share a key: the second one gets a suffix, always the same one.',
    request: { scope: 'world', entity_type: 'fact', entity_id_raw: 'Ohms Law', attribute_raw: 'Definition' },
    answer: { canonical_key: 'world/fact/ohms_law/definition' },
    errors: ['PRIVACY_BLOCKED', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED', 'SEM_WRITE_FAIL', 'STORAGE_FULL'],
  })
  register(@Ctx() ctx: CommandContext, @Body() body: RegisterKeyDto): Promise<RegisteredKey> {
    const { scope, entity_type, entity_id_raw, attribute_raw, user_id } = body;
    const names = { scope, entityType: entity_type, attributeRaw: attribute_raw };
    return this.commands.execute(new RegisterKey(ctx, { ...names, entityIdRaw: entity_id_raw, userId: user_id }));
  }

  @Get('resolve')
  @Permission('sem.resolve')
  @Doc({
    summary: 'The key that a phrase means to you, or null',
    answer: { canonical_key: 'user/profile/user_tuff/favorite_color' },
    otherAnswers: { unknown: { canonical_key: null } },
  })
  resolve(@Ctx() ctx: CommandContext, @Query() { text }: ResolveQuery): Promise<ResolvedAlias> {
    return this.queries.execute(new ResolveAlias(ctx.principal, text));
  }
}
