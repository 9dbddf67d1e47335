import { ElevationRequiredError, hasRole, type Principal, type Role } from '#lib/access';
import { MaceError } from '#lib/kernel';

import type { CanonicalKey } from './domain/canonical-key.js';

/** One agent of config/agents_allowed_writes.json, with the scopes it may write: being on the list is the approval. */
export interface AgentGrant {
  /** `agent:math_v1`. */
  readonly agent_id: string;
  readonly scopes: readonly string[];
}

/** Whether, and as whom, a principal may write a key. */
export type WriteRight =
  | {
      readonly right: 'granted';
      /** Role recorded as the actor's. */
      readonly role: Role;
      /** The source of what it writes. */
      readonly source: string;
      /** Whether it may name another source. */
      readonly namesSource: boolean;
    }
  | { readonly right: 'denied' }
  /** An admin without a second factor. */
  | { readonly right: 'elevation_required' };

/** Principal of what the system itself writes, such as the world facts of the first start. */
export const SYSTEM_PRINCIPAL: Principal = { id: 'system', roles: ['superadmin'], elevated: true };

const SOURCE = /^(user|system|agent:[a-z0-9_.-]{1,64})$/;

/**
 * Writers (spec/memory.md): a user on its own `user/<type>/user_<id>/*`, decided from the parsed key and the
 * authenticated principal; an agent of the list in its scopes; an elevated admin anywhere.
 */
export function mayWrite(principal: Principal, key: CanonicalKey, agents: readonly AgentGrant[]): WriteRight {
  const admin = hasRole(principal, 'admin');
  const namesSource = admin && principal.elevated;
  if (owns(principal, key) && (admin || hasRole(principal, 'user'))) {
    const role = hasRole(principal, 'user') ? 'user' : adminRole(principal);
    return { right: 'granted', role, source: 'user', namesSource };
  }
  if (admin && principal.elevated)
    return { right: 'granted', role: adminRole(principal), source: 'system', namesSource };
  const agentId = agentIdOf(principal);
  if (
    hasRole(principal, 'agent') &&
    agents.some((grant) => grant.agent_id === agentId && grant.scopes.includes(key.scope))
  ) {
    return { right: 'granted', role: 'agent', source: agentId, namesSource };
  }
  return { right: admin ? 'elevation_required' : 'denied' };
}

/** Deletion is an elevated admin's alone. */
export function mayDelete(principal: Principal): WriteRight {
  if (!hasRole(principal, 'admin')) return { right: 'denied' };
  if (!principal.elevated) return { right: 'elevation_required' };
  return { right: 'granted', role: adminRole(principal), source: 'system', namesSource: true };
}

/** Readers of value, history and as_of: of `user/` keys their owner and admin, of every other key anybody. */
export function mayRead(principal: Principal, key: CanonicalKey): boolean {
  return key.scope !== 'user' || owns(principal, key) || hasRole(principal, 'admin');
}

/** @throws MaceError PERMISSION_DENIED, which never says whether the key holds anything; ElevationRequiredError */
export function requireRight(right: WriteRight, what: string): Extract<WriteRight, { right: 'granted' }> {
  if (right.right === 'granted') return right;
  if (right.right === 'elevation_required') throw new ElevationRequiredError();
  throw new MaceError('PERMISSION_DENIED', what);
}

/** The source a write records. @throws MaceError INVALID_INPUT where the caller may not name it, or nobody may */
export function sourceOf(right: Extract<WriteRight, { right: 'granted' }>, named: string | undefined): string {
  if (named === undefined || named === right.source) return right.source;
  if (!SOURCE.test(named)) throw new MaceError('INVALID_INPUT', 'source: allowed are user, system and agent:<id>');
  if (!right.namesSource) {
    throw new MaceError('INVALID_INPUT', `source: yours is ${right.source}; only an elevated admin may name another`);
  }
  return named;
}

/** @throws Error where the text of config/agents_allowed_writes.json is not of its form */
export function parseAgentGrants(json: unknown): readonly AgentGrant[] {
  const agents = (json as { agents?: unknown } | null)?.agents;
  const wellFormed = (grant: Partial<AgentGrant> | null): boolean =>
    typeof grant?.agent_id === 'string' &&
    Array.isArray(grant.scopes) &&
    grant.scopes.every((s) => typeof s === 'string');
  if (!Array.isArray(agents) || !agents.every(wellFormed)) {
    throw new Error('agents_allowed_writes: allowed is {"agents": [{"agent_id": "agent:<id>", "scopes": ["world"]}]}');
  }
  return agents as AgentGrant[];
}

function owns(principal: Principal, key: CanonicalKey): boolean {
  return key.scope === 'user' && key.entityId.startsWith('user_') && key.entityId === principal.id;
}

/** A principal's normal form begins with `user_`; an agent's name is what follows. */
function agentIdOf(principal: Principal): string {
  return `agent:${principal.id.replace(/^user_/, '')}`;
}

function adminRole(principal: Principal): Role {
  return principal.roles.includes('superadmin') && !principal.roles.includes('admin') ? 'superadmin' : 'admin';
}
