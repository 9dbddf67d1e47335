import { canonicalize, hmacSha256Hex, type JsonObject, type KeyRing } from '#lib/kernel';

/**
 * What is kept of an outside engine's output where a job keeps none: a hash under a key of this house, hex, so that nobody
 * else can confirm a guess. With the job's seed, so that equal outputs of two jobs have different ones.
 */
export function outputHash(ring: KeyRing, output: JsonObject, jobSeed: string): string {
  const key = ring.subkey(ring.active('request-hmac'), 'agent-output');
  return hmacSha256Hex(key, `${jobSeed}\n${canonicalize(output)}`);
}
