/** A public key of answers' signatures as a JSON Web Key (RFC 7517, RFC 8037). */
export interface ResponseKey {
  /** `OKP`; no other type of key signs answers. */
  readonly kty: string;
  /** `Ed25519`. */
  readonly crv: string;
  /** Base64url. */
  readonly x: string;
  readonly kid: string;
  readonly alg?: string;
  readonly use?: string;
  /** Seconds since the Unix epoch between which it signed; `exp` only where it signs no more. */
  readonly nbf: number;
  readonly exp?: number;
}

/** Gives the keys that a server signs with now. */
export type KeySource = () => Promise<readonly ResponseKey[]>;

/** The keys of a JSON Web Key Set, as `/.well-known/jwks.json` answers it; undefined where this is none. */
export function keysIn(document: unknown): readonly ResponseKey[] | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const { keys } = document as { readonly keys?: unknown };
  return Array.isArray(keys) && keys.every(isResponseKey) ? keys : undefined;
}

function isResponseKey(key: unknown): key is ResponseKey {
  if (typeof key !== 'object' || key === null) return false;
  const { kty, crv, x, kid, nbf, exp } = key as Readonly<Record<string, unknown>>;
  const isTimed = typeof nbf === 'number' && (exp === undefined || typeof exp === 'number');
  const isEd25519 = kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string' && /^[\w-]{43}$/.test(x);
  return isEd25519 && isTimed && typeof kid === 'string';
}
