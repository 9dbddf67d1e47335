import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';

import type { CommandContext } from '#lib/access';
import {
  type FoundModule,
  GetModule,
  ListModules,
  type ModulePage,
  type ModuleView,
  type Pending,
  QuarantineModule,
  RegisterModule,
  RestoreModule,
} from '#lib/selfrep';

import { Ctx, Doc, Permission, withEtag } from '../edge/index.js';
import { GetModuleQuery, ListModulesQuery, QuarantineDto, RegisterModuleDto, RestoreDto } from './modules.dto.js';

const EXAMPLE = {
  node_id: 'agent:math_v1',
  agent_id: 'math_agent',
  type: 'agent',
  display_name: 'Mathematics',
  version: '1.0.0',
  status: 'healthy',
  status_reason: 'trusted, and the last call did not fail',
  callable: true,
  not_callable_reason: null,
  apt: 0.7993,
  metrics: { consecutive_failures: 0, total_calls: 1, last_failure_ts: null, trust_events: 2 },
  capabilities: ['math'],
  dependencies: [],
  edges: [],
  policy: { allowed_actions: ['compute'], forbidden_actions: [] },
  endpoint: null,
  prompt: null,
  endpoint_revision: null,
  registration: { registered_by: 'system', registered_at: '2026-11-21T12:00:00.000Z' },
  dependency_unhealthy: false,
  unhealthy_dependencies: [],
  last_updated: '2026-11-21T12:00:00.000Z',
  timestamp_seeded: '2025-06-01T12:00:00.000Z',
};
const NULLABLE = { type: ['string', 'null'] };
const UPDATED = {
  ...NULLABLE,
  description: 'Real time; null where release 0.1 recorded the newest event, which says none.',
};
const WHY_NOT = {
  ...NULLABLE,
  description: 'Why nothing here can call it, so that no query is routed to it; null where it is callable.',
};
const ENDPOINT = {
  type: ['object', 'null'],
  properties: {
    kind: { enum: ['http', 'a2a'] },
    url: { type: 'string' },
    secret_ref: { type: 'string' },
    public_key: { type: 'string' },
    card: {
      type: 'object',
      properties: {
        sha256: { type: 'string' },
        version: { type: 'string' },
        url: { type: 'string' },
        key: { type: 'object', additionalProperties: { type: 'string' } },
      },
      required: ['sha256', 'version', 'url'],
      additionalProperties: false,
      description: 'Of an agent by A2A: its card as it was approved.',
    },
  },
  required: ['kind', 'url'],
  additionalProperties: false,
  description: 'Where it answers that runs elsewhere; null for what is part of the system, or cannot be called.',
};
const PROMPT = {
  type: ['object', 'null'],
  properties: { system: { type: 'string' }, model: { type: 'string' }, max_tokens: { type: 'integer' } },
  required: ['system'],
  additionalProperties: false,
  description: 'Under which a language engine answers as it; null for every other.',
};
const REVISION = {
  type: ['integer', 'null'],
  description: 'Revision of its stream since which it is called so; null for what is part of the system.',
};
const FORMS = {
  not_callable_reason: WHY_NOT,
  endpoint: ENDPOINT,
  prompt: PROMPT,
  endpoint_revision: REVISION,
  'metrics.last_failure_ts': NULLABLE,
  last_updated: UPDATED,
  policy: { type: 'object' },
};
const PENDING = { pending: true, request_id: 'ar-0123456789abcdef0123456789abcdef', node_id: 'agent:math_v1' };

/** Modules as they stand. */
@Controller('modules')
export class ModulesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Permission('modules.read')
  @Doc({
    summary: 'Modules by node_id, as far as the read model is',
    answer: { items: [EXAMPLE], next_cursor: null, position: '42' },
    forms: {
      'items.not_callable_reason': WHY_NOT,
      'items.endpoint': ENDPOINT,
      'items.prompt': PROMPT,
      'items.endpoint_revision': REVISION,
      'items.metrics.last_failure_ts': NULLABLE,
      'items.last_updated': UPDATED,
      'items.policy': { type: 'object' },
    },
  })
  list(@Query() query: ListModulesQuery): Promise<ModulePage> {
    return this.queries.execute(new ListModules(query));
  }

  @Get(':node_id')
  @Permission('modules.read')
  @Doc({
    summary: 'One module, as of now or after the event at `as_of`',
    answer: EXAMPLE,
    forms: FORMS,
    etag: true,
    errors: ['NOT_FOUND'],
  })
  async read(
    @Ctx() ctx: CommandContext,
    @Param('node_id') nodeId: string,
    @Query() { as_of }: GetModuleQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ModuleView> {
    return shown(await this.queries.execute(new GetModule(ctx.principal, nodeId, as_of)), reply);
  }

  @Post(':node_id/restore')
  @HttpCode(200)
  @Permission('modules.restore')
  @Doc({
    summary: 'Takes an offline module back into service, degraded',
    request: { reason: 'its dependency is back' },
    answer: { ...EXAMPLE, status: 'degraded', status_reason: 'restored by an admin' },
    forms: FORMS,
    headers: ['If-Match'],
    etag: true,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRIVACY_BLOCKED', 'IDEMPOTENCY_KEY_REUSED'],
  })
  async restore(
    @Ctx() ctx: CommandContext,
    @Param('node_id') nodeId: string,
    @Body() { reason }: RestoreDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ModuleView> {
    return shown(await this.commands.execute(new RestoreModule(ctx, nodeId, reason)), reply);
  }
}

/** What changes the set of modules. */
@Controller('module')
export class ModuleController {
  constructor(private readonly commands: CommandBus) {}

  @Post('register')
  @HttpCode(200)
  @Permission('modules.register')
  @Doc({
    summary: 'Registers a module',
    description:
      'One that may write to memory, or that answers elsewhere (`endpoint`, `prompt`), waits for the council: 202 with the request to vote on.',
    request: { node_id: 'agent:math_v2', type: 'agent', display_name: 'Mathematics', version: '2.0.0' },
    answer: EXAMPLE,
    pending: PENDING,
    forms: FORMS,
    etag: true,
    errors: ['IMMUTABLE_FIELD', 'PRIVACY_BLOCKED', 'IDEMPOTENCY_KEY_REUSED'],
  })
  async register(
    @Ctx() ctx: CommandContext,
    @Body() body: RegisterModuleDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ModuleView | Pending> {
    const done = await this.commands.execute(new RegisterModule(ctx, body));
    if (!('pending' in done)) return shown(done, reply);
    void reply.code(202);
    return done;
  }

  @Post('quarantine')
  @HttpCode(202)
  @Permission('modules.quarantine')
  @Doc({
    summary: 'Asks the council to quarantine a module',
    request: { node_id: 'agent:math_v1', reason: 'it gave harmful answers' },
    answer: PENDING,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRIVACY_BLOCKED', 'IDEMPOTENCY_KEY_REUSED'],
  })
  quarantine(@Ctx() ctx: CommandContext, @Body() { node_id, reason }: QuarantineDto): Promise<Pending> {
    return this.commands.execute(new QuarantineModule(ctx, node_id, reason));
  }
}

function shown({ view, revision }: FoundModule, reply: FastifyReply): ModuleView {
  withEtag(reply, revision);
  return view;
}
