import { createPrivateKey, sign } from 'node:crypto';

import { canonicalize, type JsonObject } from '#lib/kernel';

/** Signatures of agent cards (A2A 1.0, 8.4): JWS (RFC 7515) over the canonical form (RFC 8785) of the card as it is sent. */

/**
 * A card with its signature.
 * @param card without default values, which no canonical form holds (8.4.1)
 * @param key Ed25519; `secret` is PKCS #8 in DER
 * @param jku where its public key is
 */
export function signedCard(
  card: JsonObject,
  { kid, secret }: { readonly kid: string; readonly secret: Buffer },
  jku: string,
): JsonObject {
  const header = base64url(JSON.stringify({ alg: 'EdDSA', typ: 'JOSE', kid, jku }));
  const key = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
  const signature = sign(null, Buffer.from(`${header}.${base64url(canonicalize(card))}`), key).toString('base64url');
  return { ...card, signatures: [{ protected: header, signature }] };
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
