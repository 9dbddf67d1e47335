/** Words with which Redis begins an error, and codes of the system: what may be told of a fault. Anything else is ERR. */
const TOLD = new Set([
  ...['OOM', 'NOAUTH', 'WRONGPASS', 'NOPERM', 'READONLY', 'LOADING', 'MISCONF', 'BUSY', 'MASTERDOWN', 'WRONGTYPE'],
  ...['CLUSTERDOWN', 'MOVED', 'NOREPLICAS', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'],
  ...['EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'EPROTO'],
]);

/** A call that Redis refused or did not get; named by its kind, since nothing that it said may be told further. */
export class RedisFault extends Error {
  constructor(readonly kind: string) {
    super(`the cache answers with ${kind}`);
    this.name = `Redis:${kind}`;
  }
}

/** @param error what ioredis rejected with, which may hold keys, values and passwords */
export function faultOf(error: unknown): RedisFault {
  if (error instanceof RedisFault) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  const words = [code, /^[A-Z]+/.exec(String(message))?.[0]];
  return new RedisFault(words.find((word): word is string => typeof word === 'string' && TOLD.has(word)) ?? 'ERR');
}
