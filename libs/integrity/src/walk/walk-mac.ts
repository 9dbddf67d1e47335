import { equalInConstantTime, type KeyRing, type RingKey, HmacKey } from '#lib/kernel';

const MAC_PURPOSE = 'integrity-walk';

/** A key of the ring as it stands over the place of a walk. */
export interface MacKey {
  readonly kid: string;
  readonly key: HmacKey;
}

export interface WalkRow {
  readonly state: string;
  readonly mac: string;
}

export function keyOf(key: RingKey, ring: KeyRing): MacKey {
  return { kid: key.kid, key: new HmacKey(ring.subkey(key, MAC_PURPOSE)) };
}

/** The key under whose MAC the row stands; null where it stands under none of the ring. */
export function macKeyOf({ state, mac }: WalkRow, ring: KeyRing): MacKey | null {
  const kid = kidIn(state);
  const key = typeof kid === 'string' ? ring.verifying(kid, 'event-hmac') : undefined;
  const macKey = key && keyOf(key, ring);
  return macKey && equalInConstantTime(macKey.key.hex(state), mac) ? macKey : null;
}

/** As far as the row says it: it may hold anything. */
function kidIn(state: string): unknown {
  try {
    return (JSON.parse(state) as { readonly kid?: unknown } | null)?.kid;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
