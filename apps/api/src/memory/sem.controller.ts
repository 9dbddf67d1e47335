import { Body, Controller, Delete, Get, HttpCode, Param, Put, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';

import type { CommandContext } from '#lib/access';
import { EventLog } from '#lib/event-store';
import type { IfMatch } from '#lib/kernel';
import {
  DeleteValue,
  GetHistory,
  GetValue,
  PutValue,
  recordReading,
  type HistoryItem,
  type SemAnswer,
  type SemPending,
  type SemValue,
} from '#lib/memory';

import { Ctx, Doc, type Listed, PageQuery, Permission, upToHead, withEtag } from '../edge/index.js';
import { GetValueQuery, PutValueDto } from './memory.dto.js';

interface KeyParts {
  readonly scope: string;
  readonly entity_type: string;
  readonly entity_id: string;
  readonly attribute: string;
}

const WRITTEN = {
  success: true,
  error_code: null,
  key: 'user/profile/user_tuff/favorite_color',
  revision: 0,
  applied: true,
  event_id: '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1',
  position: '42',
};
const WRITTEN_FORMS = { error_code: { type: 'null' } };
const WRITE_ERRORS = [
  'IDEMPOTENCY_KEY_REUSED',
  'PRECONDITION_FAILED',
  'CONFLICT',
  'SEM_WRITE_FAIL',
  'STORAGE_FULL',
] as const;

/** Values of memory by their exact keys. */
@Controller('sem/:scope/:entity_type/:entity_id/:attribute')
export class SemController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly log: EventLog,
  ) {}

  @Put()
  @HttpCode(200)
  @Permission('sem.write', { bindsItself: true })
  @Doc({
    summary: 'Stores a value under a key',
    description:
      'The later timestamp wins; an older one is recorded and answered applied: false. Personal data needs a consent of its owner (POST /consents); of high sensitivity it then waits for the council, which 202 says.',
    request: { value: 'blue', timestamp: '2025-11-29T12:00:00Z', notes: 'said in passing', meta: { locale: 'en' } },
    answer: WRITTEN,
    pending: {
      success: false,
      applied: false,
      pending: true,
      request_id: 'ar-0123456789abcdef0123456789abcdef',
      key: 'user/profile/user_tuff/ssn',
    },
    forms: WRITTEN_FORMS,
    headers: ['If-Match'],
    etag: true,
    errors: ['PRIVACY_BLOCKED', ...WRITE_ERRORS],
  })
  async put(
    @Ctx() ctx: CommandContext,
    @Param() parts: KeyParts,
    @Body() body: PutValueDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SemAnswer | SemPending> {
    const answer = await this.commands.execute(new PutValue(ctx, { ...body, ...target(parts, ctx) }));
    if (answer.success) withEtag(reply, answer.revision);
    else void reply.status(202);
    return answer;
  }

  @Get()
  @Permission('sem.read')
  @Doc({
    summary: 'What stands under exactly this key',
    description:
      'As of now, or after the event at `as_of`. A miss is 400 SEM_NOT_FOUND and no 404: the address is right, and what may be asked there is what was remembered; the status is that of the seeds, which programs rely on. 404 NOT_FOUND says that no such route is there.',
    answer: {
      exists: true,
      value: 'blue',
      source: 'user',
      last_updated: '2025-11-29T12:00:00Z',
      meta: { locale: 'en' },
    },
    forms: { value: {}, meta: { type: 'object' } },
    etag: true,
    errors: ['SEM_NOT_FOUND', 'INTEGRITY_FAILURE'],
  })
  async get(
    @Ctx() ctx: CommandContext,
    @Param() parts: KeyParts,
    @Query() query: GetValueQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SemValue> {
    const key = keyOf(parts);
    const recorded = recordReading(this.log, ctx, key);
    if (recorded) await recorded;
    const { body, etag } = await this.queries.execute(new GetValue(ctx.principal, key, query.as_of));
    withEtag(reply, etag);
    return body;
  }

  @Delete()
  @Permission('sem.delete')
  @Doc({
    summary: 'Deletes what stands under a key',
    description: 'For an elevated admin. Older puts that come later stay without effect.',
    answer: { ...WRITTEN, revision: 1, position: '43' },
    forms: WRITTEN_FORMS,
    headers: ['If-Match'],
    etag: true,
    errors: ['SEM_NOT_FOUND', ...WRITE_ERRORS],
  })
  async remove(
    @Ctx() ctx: CommandContext,
    @Param() parts: KeyParts,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SemAnswer> {
    const answer = await this.commands.execute(new DeleteValue(ctx, target(parts, ctx)));
    withEtag(reply, answer.revision);
    return answer;
  }

  @Get('history')
  @Permission('sem.read')
  @Doc({
    summary: 'Every write of a key, oldest first',
    answer: {
      items: [
        {
          revision: 0,
          position: '42',
          value: 'blue',
          source: 'user',
          timestamp: '2025-11-29T12:00:00Z',
          applied: true,
          event_id: WRITTEN.event_id,
          actor: { id: 'user_tuff', role: 'user' },
        },
      ],
      next_cursor: null,
      position: '42',
    },
    forms: { 'items.value': {} },
    errors: ['SEM_NOT_FOUND', 'INTEGRITY_FAILURE'],
  })
  async history(
    @Ctx() ctx: CommandContext,
    @Param() parts: KeyParts,
    @Query() page: PageQuery,
  ): Promise<Listed<HistoryItem>> {
    const key = keyOf(parts);
    await recordReading(this.log, ctx, key);
    return upToHead(this.log.store, () => this.queries.execute(new GetHistory(ctx.principal, key, page)));
  }
}

function keyOf({ scope, entity_type, entity_id, attribute }: KeyParts): string {
  return `${scope}/${entity_type}/${entity_id}/${attribute}`;
}

function target(parts: KeyParts, { ifMatch }: CommandContext): { key: string; ifMatch?: IfMatch } {
  return { key: keyOf(parts), ...(ifMatch === undefined ? {} : { ifMatch }) };
}
