import type { AddressInfo } from 'node:net';

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { signedCard } from '#lib/agents';
import { type JsonObject, KeyRing } from '#lib/kernel';

import { publicUrlOf } from '../console/public-place.js';
import type { Config } from '../platform.config.js';
import { CONFIG } from '../platform.tokens.js';
import { systemVersion } from '../system-version.js';
import type { A2aDto } from './a2a.dto.js';
import type { A2aParts } from './a2a-engine.js';
import { agentCard } from './agent-card.js';

/** A2A over the operations of the application; the SDK is loaded with the first request. */
@Injectable()
export class A2a {
  private parts: A2aParts | undefined;
  /** By the address that it names; where the server listens is known only once it does. */
  private drawn: { readonly base: string; readonly card: JsonObject } | undefined;
  private readonly version = systemVersion().replace('mace-', '');

  constructor(
    private readonly ring: KeyRing,
    @Inject(CONFIG) private readonly config: Pick<Config, 'publicUrl' | 'host' | 'port'>,
  ) {}

  /** What it asks, once the application stands. */
  over(parts: A2aParts): void {
    this.parts = parts;
  }

  async answer(request: FastifyRequest, body: A2aDto): Promise<object> {
    if (!this.parts) throw new Error('A2A is asked before the application stands');
    const { answerRpc } = await import('./a2a-engine.js');
    return answerRpc(this.parts, request, body);
  }

  card({ server }: Pick<FastifyRequest, 'server'>): JsonObject {
    const base = publicUrlOf(this.config, server.server.address() as AddressInfo | null);
    if (this.drawn?.base === base) return this.drawn.card;
    const key = this.ring.active('response-signature');
    const card = signedCard(agentCard(base, this.version), key, `${base}.well-known/jwks.json`);
    this.drawn = { base, card };
    return card;
  }
}
