import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Denials } from '#lib/access';

import type { Engine, EngineParts } from './engine.js';
import type { GraphqlDto } from './graphql.dto.js';

export interface GraphqlParts extends EngineParts {
  readonly denials: Pick<Denials, 'count'>;
}

/** GraphQL over the operations of the application; what it is made of is loaded with the first request. */
@Injectable()
export class Graphql {
  private parts: GraphqlParts | undefined;
  private engine: Promise<Engine> | undefined;

  /** What it asks, once the application stands. */
  over(parts: GraphqlParts): void {
    this.parts = parts;
  }

  async answer(request: FastifyRequest, reply: FastifyReply, body: GraphqlDto): Promise<object> {
    const { denials } = this.given();
    const { body: answer, denied } = await (await this.opened()).answer(request, body);
    const { principal } = request.mace;
    if (denied.length > 0 && principal) {
      // After the answer, so that a refusal takes the same time whatever its reason.
      reply.raw.once('finish', () =>
        denied.forEach(({ access, reason }) => denials.count(principal.id, access, reason)),
      );
    }
    return answer;
  }

  private opened(): Promise<Engine> {
    return (this.engine ??= import('./engine.js').then(({ openEngine }) => openEngine(this.given())));
  }

  private given(): GraphqlParts {
    if (!this.parts) throw new Error('GraphQL is asked before the application stands');
    return this.parts;
  }
}
