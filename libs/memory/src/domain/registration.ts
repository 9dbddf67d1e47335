import { equalInConstantTime, type DomainEvent, type JsonObject } from '#lib/kernel';

import { resolveCollision, type CanonicalKey } from './canonical-key.js';
import { memoryEvent, type Fingerprint, type IdentityRegistered } from './sem.events.js';

/** Who holds an entity_id: every raw identity that normalises to it, the first one first (spec/memory.md, "Collision"). */
export type IdentityState = readonly IdentityRegistered[];

export interface Registration {
  readonly entityId: string;
  /** What there is to record; null where the identity is known. */
  readonly event: DomainEvent | null;
}

export const initialIdentity: IdentityState = [];

export function evolveIdentity(
  state: IdentityState,
  event: { readonly type: string; readonly data: JsonObject },
): IdentityState {
  if (event.type !== 'IDENTITY_REGISTERED' && event.type !== 'collision_event') return state;
  return [...state, event.data as unknown as IdentityRegistered];
}

/**
 * The entity_id that a raw identity has, and what is to be recorded of it: the first keeps the plain one, a later one
 * gets a suffix and leaves a collision_event for review.
 * @param candidates the raw identity's fingerprint under every key that may have made a recorded one, the active first
 * @throws MaceError CONFLICT where the suffix is taken
 */
export function register(
  state: IdentityState,
  base: string,
  raw: string,
  candidates: readonly [Fingerprint, ...Fingerprint[]],
): Registration {
  const [own] = candidates;
  const same = (held: Fingerprint): boolean =>
    candidates.some(({ kid, hmac }) => kid === held.kid && equalInConstantTime(hmac, held.hmac));
  const registered = state.map((held) => ({
    fingerprint: same(held.fingerprint) ? own.hmac : held.fingerprint.hmac,
    entityId: held.entity_id,
  }));
  const { entityId, outcome } = resolveCollision(base, raw, own.hmac, registered);
  if (outcome === 'known') return { entityId, event: null };
  const identity = { entity_id: entityId, fingerprint: own };
  const event =
    outcome === 'first'
      ? memoryEvent('IDENTITY_REGISTERED', identity)
      : memoryEvent('collision_event', { ...identity, base_entity_id: base });
  return { entityId, event };
}

/** What there is to record so that each of several spellings, by its fingerprints, has one and the same entity_id. */
export function claim(
  state: IdentityState,
  entityId: string,
  identities: readonly (readonly [Fingerprint, ...Fingerprint[]])[],
): DomainEvent[] {
  const held = new Set(state.map(({ fingerprint }) => `${fingerprint.kid} ${fingerprint.hmac}`));
  return identities
    .filter((candidates) => !candidates.some(({ kid, hmac }) => held.has(`${kid} ${hmac}`)))
    .map(([fingerprint]) => memoryEvent('IDENTITY_REGISTERED', { entity_id: entityId, fingerprint }));
}

export function identityStream({ scope, entityType, entityId }: Omit<CanonicalKey, 'attribute'>): string {
  return `identity-${scope}/${entityType}/${entityId}`;
}
