import { equalInConstantTime, MaceError } from '#lib/kernel';

import type { PrincipalRegistered } from './principal-registry.events.js';

/** Who holds a user id (spec/memory.md, "Principals"). */

export type Fingerprint = PrincipalRegistered['data']['fingerprint'];
export type RegistryState = Fingerprint | null;

export const unregistered: RegistryState = null;

export function evolve(state: RegistryState, event: { readonly type: string; readonly data: unknown }): RegistryState {
  return event.type === 'PRINCIPAL_REGISTERED' ? (event.data as PrincipalRegistered['data']).fingerprint : state;
}

/**
 * @param candidates the raw id's fingerprint under every key that may have made the recorded one, the active key's first
 * @throws MaceError CONFLICT where the normal form belongs to another spelling
 */
export function register(
  state: RegistryState,
  userId: string,
  candidates: readonly Fingerprint[],
): readonly PrincipalRegistered[] {
  const [current] = candidates;
  if (state === null) return [{ type: 'PRINCIPAL_REGISTERED', data: { user_id: userId, fingerprint: current! } }];
  if (candidates.some((own) => own.kid === state.kid && equalInConstantTime(own.hmac, state.hmac))) return [];
  throw new MaceError(
    'CONFLICT',
    `user_id: ${userId} is registered under another spelling; use that one, or another id`,
  );
}
