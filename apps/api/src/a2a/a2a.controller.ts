import { Body, Controller, Get, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { JsonObject } from '#lib/kernel';

import { Doc, Permission, Public } from '../edge/index.js';
import { A2a } from './a2a.js';
import { A2aDto } from './a2a.dto.js';
import { agentCard } from './agent-card.js';
import { rpcFailure } from './rpc-error.js';
import { taskOf } from './job-task.js';
import { JOB } from '../jobs/jobs.examples.js';

/** Agent2Agent 1.0: what another agent asks of MACE (docs/a2a.md). */
@Controller()
export class A2aController {
  constructor(private readonly a2a: A2a) {}

  @Get('.well-known/agent-card.json')
  @Public()
  @Header('cache-control', 'public, max-age=300')
  @Doc({
    summary: 'The agent card of A2A 1.0: what MACE answers as an agent, and where',
    description:
      'Signed as A2A 1.0, 8.4 has it: a JWS over the canonical form (RFC 8785) of the card without `signatures`, by a key of /.well-known/jwks.json.',
    answer: {
      ...agentCard('http://127.0.0.1:3000/', '0.2.0'),
      signatures: [{ protected: 'eyJhbGciOiJFZERTQSJ9', signature: 'c2lnbmF0dXJl' }],
    },
    forms: { securitySchemes: { type: 'object' }, 'securityRequirements.schemes': { type: 'object' } },
  })
  card(@Req() request: FastifyRequest): JsonObject {
    return this.a2a.card(request);
  }

  @Post('a2a')
  @HttpCode(200)
  @Permission('a2a.ask', { bindsItself: true, asFailure: rpcFailure })
  @Doc({
    summary: 'Agent2Agent 1.0 over JSON-RPC: SendMessage, GetTask, CancelTask',
    description:
      'A task is a job, its artifact the answer with job_id and verdict; each method asks for the permission of its operation over REST. `messageId` is an Idempotency-Key. A notification, which has no `id`, is carried out and answered with 204. What fails is an error of JSON-RPC with the code of A2A; the envelope stands in its `data`.',
    request: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'What is my favorite color?' }] },
      },
    },
    answer: { jsonrpc: '2.0', id: 1, result: { task: taskOf({ ...JOB, status: 'completed' }) } },
    forms: {
      id: { type: ['string', 'integer', 'null'] },
      'result?': { type: 'object' },
      'error?': { type: 'object', required: ['code', 'message'] },
    },
    headers: ['A2A-Version'],
  })
  async ask(
    @Req() request: FastifyRequest,
    @Body() body: A2aDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object | undefined> {
    const answer = await this.a2a.answer(request, body);
    return body.id === undefined ? void reply.code(204) : answer;
  }
}
