import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Doc, Permission } from '../edge/index.js';
import { Graphql } from './graphql.js';
import { GraphqlDto } from './graphql.dto.js';

/** The one route of GraphQL. There is no GET: what changes something is never asked for by an address alone. */
@Controller('graphql')
export class GraphqlController {
  constructor(private readonly graphql: Graphql) {}

  @Post()
  @HttpCode(200)
  @Permission('graphql.ask', { bindsItself: true })
  @Doc({
    summary: 'The same capabilities by GraphQL',
    description:
      'One operation in a document; each field asks for the permission of its own row. The schema stands in docs/schema.graphql. A document can be sent once with its SHA-256 in `extensions.persistedQuery` and from then on by that alone.',
    request: { query: '{ semResolve(text: "my favourite colour") { ... on SemResolved { canonical_key } } }' },
    answer: { data: { semResolve: { canonical_key: 'user/profile/user_tuff/favorite_color' } } },
    forms: { 'data?': {}, 'errors?': { type: 'array', items: { type: 'object' } } },
  })
  ask(
    @Body() body: GraphqlDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.graphql.answer(request, reply, body);
  }
}
