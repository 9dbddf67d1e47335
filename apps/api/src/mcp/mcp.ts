import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { McpExchange } from './exchange.js';
import type { McpParts } from './calls.js';

/** MCP over the operations of the application; what it is made of is loaded with the first request. */
@Injectable()
export class Mcp {
  private parts: McpParts | undefined;
  private opening: Promise<McpExchange> | undefined;
  /** The same, once it is there. */
  private held: McpExchange | undefined;

  /** What it asks, once the application stands. */
  over(parts: McpParts): void {
    this.parts = parts;
  }

  answer(request: FastifyRequest, reply: FastifyReply): Promise<object> | object | undefined {
    return this.held
      ? this.held.answer(request, reply)
      : this.opened().then((exchange) => exchange.answer(request, reply));
  }

  private opened(): Promise<McpExchange> {
    return (this.opening ??= this.open());
  }

  private async open(): Promise<McpExchange> {
    if (!this.parts) throw new Error('MCP is asked before the application stands');
    const { openExchange } = await import('./server.js');
    return (this.held = openExchange(this.parts));
  }
}
