import { keysIn, type KeySource } from '#lib/signatures';

import { createClient } from './client.js';
import { ForeignAnswerError } from './errors.js';
import type { Transport } from './transport.js';

/**
 * The keys that a server publishes at /.well-known/jwks.json. They are as good as the way to it: over TLS its certificate
 * vouches for them, over plain HTTP nobody does.
 */
export function publishedKeys(server: string | Transport): KeySource {
  const client = createClient({ server });
  return async () => {
    const target = '/.well-known/jwks.json';
    // A cache on the way may hold those from before a rotation.
    const { status, body } = await client.send({ method: 'GET', target, headers: { 'cache-control': 'no-cache' } });
    const keys = keysIn(body);
    if (!keys) throw new ForeignAnswerError(status, `${target} names no keys`);
    return keys;
  };
}
