import { createPrivateKey, sign } from 'node:crypto';

import { canonicalize, isJsonObject, type Json, type JsonObject } from '#lib/kernel';

/** Signatures of agent cards (A2A 1.0, 8.4): JWS (RFC 7515) over the canonical form (RFC 8785) of the card as it is sent. */

/** A public key that signed a card, as a JSON Web Key: `kid`, `kty` and what its type has. */
export type CardKey = Readonly<Record<string, string>>;

/** Of those that `jose` verifies; a shared secret is nobody's signature. */
const ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256'];
/** More than anybody rotates through. */
const MAX_SIGNATURES = 8;

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

/**
 * Whose key signed a card; undefined where it is not signed, null where no signature of it is one of a known key.
 * @param publicKey Ed25519 in base64url, the only one that is known; where absent, those at `jku`
 * @throws CanonicalJsonError
 */
export async function signerOf(
  { signatures, ...card }: JsonObject,
  publicKey: string | undefined,
  keysAt: (jku: string) => Promise<unknown>,
): Promise<CardKey | null | undefined> {
  if (signatures === undefined || (Array.isArray(signatures) && signatures.length === 0))
    return publicKey === undefined ? undefined : null;
  if (!Array.isArray(signatures)) return null;
  const { decodeProtectedHeader, flattenedVerify } = await import('jose');
  // The plain JSON, and what is left of it by those who remove what is empty wherever it stands.
  const whole = canonicalize(card);
  const payloads = [whole, canonicalize(withoutEmpty(card) ?? {})].map(base64url);
  for (const one of (signatures as readonly Json[]).slice(0, MAX_SIGNATURES)) {
    if (!isJsonObject(one)) continue;
    const { protected: header, signature } = one;
    if (typeof header !== 'string' || typeof signature !== 'string') continue;
    const { kid = '', jku = '' } = headerOf(decodeProtectedHeader, header);
    const key =
      publicKey === undefined ? keyIn(await keysAt(jku), kid) : { kid, kty: 'OKP', crv: 'Ed25519', x: publicKey };
    if (key === undefined) continue;
    for (const payload of payloads) {
      const isSigned = flattenedVerify({ payload, protected: header, signature }, key, { algorithms: ALGORITHMS });
      if (
        await isSigned.then(
          () => true,
          () => false,
        )
      )
        return key;
    }
  }
  return null;
}

function headerOf(
  decode: (token: { protected: string }) => { readonly kid?: string; readonly jku?: string },
  header: string,
): { readonly kid?: string; readonly jku?: string } {
  try {
    return decode({ protected: header });
  } catch {
    return {};
  }
}

/** The public members of the key that a set has under this name. */
function keyIn(set: unknown, kid: string): CardKey | undefined {
  const { keys } = (typeof set === 'object' && set !== null ? set : {}) as { readonly keys?: unknown };
  const found = (Array.isArray(keys) ? keys : []).find((one: Partial<CardKey> | null) => one?.kid === kid) as
    Readonly<Record<string, unknown>> | undefined;
  if (!found || typeof found['kty'] !== 'string') return undefined;
  const members = ['crv', 'x', 'y', 'n', 'e'].filter((name) => typeof found[name] === 'string');
  return { kid, kty: found['kty'], ...Object.fromEntries(members.map((name) => [name, found[name] as string])) };
}

function withoutEmpty(value: Json): Json | undefined {
  if (value === '' || value === null) return undefined;
  if (Array.isArray(value)) {
    const left = value.map(withoutEmpty).filter((one) => one !== undefined);
    return left.length === 0 ? undefined : left;
  }
  if (typeof value !== 'object') return value;
  const left = Object.entries(value).flatMap(([name, one]) => {
    const kept = withoutEmpty(one);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
