import { createPrivateKey, createPublicKey } from 'node:crypto';

import type { KeyRing, RingKey } from '#lib/kernel';
import type { ResponseKey } from '#lib/signatures';

/**
 * The keys that answers are, or once were, signed with: what was signed stays verifiable after a rotation. Revoked keys are
 * left out, and so are keys of other purposes: a key is for one use.
 */
export function responseKeys(ring: KeyRing): readonly ResponseKey[] {
  return ring
    .all()
    .filter(({ purpose, state }) => purpose === 'response-signature' && state !== 'revoked')
    .map(publicKeyOf);
}

function publicKeyOf({ kid, secret, notBefore, notAfter }: RingKey): ResponseKey {
  const privateKey = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const until = notAfter === undefined ? {} : { exp: Math.ceil(Date.parse(notAfter) / 1000) };
  const nbf = Math.floor(Date.parse(notBefore) / 1000);
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig', nbf, ...until };
}
