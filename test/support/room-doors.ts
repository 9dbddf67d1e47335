import { hasRole, permissionOf, type PermissionName, type Role, ROLES } from '#lib/access';

import { proposalBy, refusalOf, voteBy } from './room-client.js';

/** Whoever calls under a role alone. */
export const callerBy = (role: Role): string => `by-${role}`;

/** What is asked of them: a proposal that asks everybody. */
export const ASKS_ALL = proposalBy('maker', 'asks-all', ['ann', ...ROLES.map(callerBy)]);

/** What each method of gRPC is asked by a role, and by which permission it is opened. */
export const DOORS: Readonly<Record<string, readonly [PermissionName, (role: Role) => object]>> = {
  SubmitProposal: ['negotiations.submit', (role) => proposalBy(callerBy(role), `of-${role}`, ['ann'])],
  SubmitVote: ['negotiations.submit', (role) => voteBy(callerBy(role), 'asks-all')],
  GetVotes: ['negotiations.read', () => ({ artifact_id: 'asks-all' })],
  GetDecision: ['negotiations.read', () => ({ artifact_id: 'asks-all' })],
  WaitForDecision: ['negotiations.read', () => ({ artifact_id: 'asks-all', timeout_seconds: 1 })],
  RegisterAgent: ['negotiations.register', (role) => ({ agent: { agent_id: callerBy(role), name: role } })],
  Heartbeat: ['negotiations.register', (role) => ({ agent_id: callerBy(role), state: 4 })],
  DeregisterAgent: ['negotiations.register', (role) => ({ agent_id: callerBy(role) })],
};

interface Callable {
  call(who: string, method: string, message: object): Promise<unknown>;
}

/** What a method tells each role: OK, or the refusal up to who it is for. */
export async function toldAtDoor(room: Callable, method: string): Promise<Readonly<Record<string, string>>> {
  const [, message] = DOORS[method]!;
  const told: Record<string, string> = {};
  for (const role of ROLES) {
    const refusal = await refusalOf(room.call(callerBy(role), method, message(role)));
    told[role] = refusal.startsWith('DEADLINE_EXCEEDED WAIT_TIMEOUT') ? 'OK' : (refusal.split(' is for ')[0] ?? '');
  }
  return told;
}

/** What it is to tell them; that stands in libs/access/src/permissions.ts and nowhere else. */
export function expectedAtDoor(method: string): Readonly<Record<string, string>> {
  const [name] = DOORS[method]!;
  const { roles } = permissionOf(name);
  const isOpen = (role: Role): boolean => roles.some((one) => hasRole({ id: '', roles: [role], elevated: false }, one));
  const denied = `PERMISSION_DENIED PERMISSION_DENIED: ${name}`;
  return Object.fromEntries(ROLES.map((role) => [role, isOpen(role) ? 'OK' : denied]));
}
