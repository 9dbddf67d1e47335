import type { Actor, AskedBody, IfMatch } from '#lib/kernel';

export const ROLES = ['user', 'agent', 'operator', 'admin', 'council', 'auditor', 'superadmin'] as const;
export type Role = (typeof ROLES)[number];

/** Who is asking: `id` is the normal form (`user_tuff`), whatever spelling the token used. */
export interface Principal {
  readonly id: string;
  readonly roles: readonly Role[];
  /** A second factor was shown lately (spec/privacy.md, "Two factors"). */
  readonly elevated: boolean;
}

/**
 * The person as whom a principal owns keys and jobs: its normal form; for the principals of this machine itself, such
 * as `local`, the form with the prefix, which nobody else can register.
 */
export function personOf(principal: Pick<Principal, 'id'>): string {
  return principal.id.startsWith('user_') ? principal.id : `user_${principal.id}`;
}

const INCLUDED: Partial<Record<Role, readonly Role[]>> = {
  superadmin: ['admin', 'operator'],
  admin: ['operator'],
};

/** superadmin includes admin, admin includes operator. */
export function hasRole(principal: Principal, role: Role): boolean {
  return principal.roles.some((held) => held === role || (INCLUDED[held]?.includes(role) ?? false));
}

/** Everything a command handler may know of its request besides the command itself. */
export interface CommandContext {
  readonly principal: Principal;
  /** The principal and the role under which it acts, as recorded in each event. */
  readonly actor: Actor;
  /** Seed of the command: `cmd:...` (spec/kernel.md, "Seeds"). */
  readonly seed: string;
  /** True where the caller gave the Idempotency-Key, so that the same request may come again. */
  readonly keyed: boolean;
  /** Keyed hash of the request's body, recorded with the command's first event. */
  readonly requestDigest: string;
  readonly earlierDigests?: AskedBody['earlierDigests'];
  readonly traceId: string;
  /** The revision at which what is changed is to be; absent where the caller does not say. */
  readonly ifMatch?: IfMatch;
  /** Real time at the edge, milliseconds since the Unix epoch: data, recorded where it matters. */
  readonly now: number;
}
