import { commandSeed, hmacSha256Hex, traceId } from '#lib/kernel';

import type { CommandContext, Principal } from '../principal.js';

export interface ContextOptions {
  readonly now: number;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  /** Idempotency-Key; drawn for the test where absent. */
  readonly key?: string;
  readonly body?: unknown;
}

let drawn = 0;

/** The context of a request of a principal; its seed follows from the key as the edge makes it. */
export function commandContext(who: Principal, options: ContextOptions): CommandContext {
  const { now, method, path, key, body = {} } = options;
  const seed = commandSeed(who.id, method, path, key ?? `drawn-${drawn++}`);
  const requestDigest = hmacSha256Hex(Buffer.alloc(32), JSON.stringify(body));
  const actor = { id: who.id, role: who.roles[0] ?? 'user' };
  return { principal: who, actor, seed, keyed: key !== undefined, requestDigest, traceId: traceId(seed), now };
}
