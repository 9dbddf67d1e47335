import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Engine, EngineParts } from './engine.js';
import type { GraphqlDto } from './graphql.dto.js';
import type { SocketParts, Sockets } from './sockets/sockets.js';

export type GraphqlParts = EngineParts & SocketParts;

/** GraphQL over the operations of the application; what it is made of is loaded with the first request. */
@Injectable()
export class Graphql implements OnModuleDestroy {
  private parts: GraphqlParts | undefined;
  private engine: Promise<Engine> | undefined;
  private sockets: Promise<Sockets> | undefined;
  /** The same, once it is there. */
  private held: Sockets | undefined;

  /** What it asks, once the application stands. @param server whose upgrades are sockets of GraphQL */
  over(parts: GraphqlParts, server: Server): void {
    this.parts = parts;
    server.on('upgrade', (request, socket, head) => void this.upgrade(server, request, socket, head));
  }

  /** How many sockets are open, and how many things are followed over them. */
  get open(): { readonly sockets: number; readonly subscriptions: number } {
    return { sockets: this.held?.size ?? 0, subscriptions: this.held?.subscriptions ?? 0 };
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

  async onModuleDestroy(): Promise<void> {
    await (await this.sockets)?.stop();
  }

  private async upgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Until somebody else listens, a connection that breaks would end the process.
    const broken = (): void => void socket.destroy();
    socket.on('error', broken);
    this.sockets ??= import('./sockets/sockets.js').then(
      ({ Sockets }) => (this.held = new Sockets(server, this.given(), () => this.opened())),
    );
    const sockets = await this.sockets;
    socket.off('error', broken);
    if (!socket.destroyed) sockets.upgrade(request, socket, head);
  }

  private opened(): Promise<Engine> {
    return (this.engine ??= import('./engine.js').then(({ openEngine }) => openEngine(this.given())));
  }

  private given(): GraphqlParts {
    if (!this.parts) throw new Error('GraphQL is asked before the application stands');
    return this.parts;
  }
}
