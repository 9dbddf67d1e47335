import { randomUUID } from 'node:crypto';

import { Body, Controller, Delete, Get, HttpCode, Post, Req, Res, SetMetadata } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { MaceError, systemSeed, traceId } from '#lib/kernel';

import { outerEnvelope } from '../edge/answer-failure.js';
import { Doc, Permission, Public } from '../edge/index.js';
import { Mcp } from './mcp.js';

const UNDESCRIBED = SetMetadata('swagger/apiExcludeEndpoint', { disable: true });

/** The one endpoint of the Model Context Protocol. */
@Controller('mcp')
export class McpController {
  constructor(private readonly mcp: Mcp) {}

  @Post()
  @HttpCode(200)
  @Permission('mcp.ask', { bindsItself: true, isResource: true })
  @Doc({
    summary: 'The same capabilities for agents, by the Model Context Protocol',
    description:
      'Streamable HTTP of the revisions 2025-03-26 to 2026-07-28, without sessions: one message of JSON-RPC, one answer in JSON. A notification is answered with 202 and no content; what the protocol refuses, with 400 or 404 and an error of JSON-RPC. What a tool is refused is a result with `isError`, with the envelope in `structuredContent` (docs/mcp.md).',
    request: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'recall', arguments: { key: 'user/profile/user_tuff/favorite_color' } },
    },
    answer: { jsonrpc: '2.0', id: 1, result: {} },
    errors: ['NOT_FOUND'],
    forms: { id: { type: ['string', 'number', 'null'] }, 'result?': { type: 'object' }, 'error?': { type: 'object' } },
  })
  ask(
    @Body() _: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> | object | undefined {
    return this.mcp.answer(request, reply);
  }

  /** A client of 2025 asks for a stream of messages with GET, and ends a session with DELETE: there are none. */
  @Get()
  @Public()
  @UNDESCRIBED
  stream(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): object {
    return notAllowed(request, reply);
  }

  @Delete()
  @Public()
  @UNDESCRIBED
  end(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): object {
    return notAllowed(request, reply);
  }
}

/** With the status that clients of MCP look for. */
function notAllowed({ mace }: FastifyRequest, reply: FastifyReply): object {
  const seed = systemSeed('request', randomUUID());
  const error = new MaceError('NOT_FOUND', 'no session is held and no stream: the path takes POST');
  const status = 405;
  void reply.code(status).header('allow', 'POST');
  return { ...outerEnvelope(error, seed, mace.givenTraceId ?? traceId(seed), mace.now), status };
}
