import { type CommandContext, hasRole, type Principal, requireElevated, type Role } from '#lib/access';
import { type Actor, MaceError } from '#lib/kernel';

import type { AptEventType } from './domain/module.events.js';

interface Right {
  readonly roles: readonly Role[];
  /** Roles that need a second factor for it; operators' routes need none. */
  readonly elevated: readonly Role[];
}

const OUTCOME: Right = { roles: ['agent', 'operator'], elevated: [] };
const RULING: Right = { roles: ['council', 'admin'], elevated: ['council', 'admin'] };

/** Who may say what of a module (spec/privacy.md, "Who may do what"). */
const RIGHTS: Readonly<Record<AptEventType, Right>> = {
  AGENT_TIMEOUT: OUTCOME,
  AGENT_EXCEPTION: OUTCOME,
  AGENT_SUCCESS: OUTCOME,
  OPERATIONAL_NOTE: { roles: ['operator'], elevated: [] },
  COUNCIL_APPROVAL: { roles: ['council'], elevated: ['council'] },
  GROUND_TRUTH_LABEL: RULING,
  MANUAL_OVERRIDE: RULING,
  USER_FEEDBACK: { roles: ['user'], elevated: [] },
};

/**
 * The role under which somebody posts this. An agent speaks of its own module only.
 * @throws MaceError PERMISSION_DENIED; ElevationRequiredError
 */
export function postingActor({ principal }: CommandContext, type: AptEventType, nodeId: string): Actor {
  const { roles, elevated } = RIGHTS[type];
  const role = roles.find((one) => hasRole(principal, one) && (one !== 'agent' || isOwn(principal, nodeId)));
  if (role === undefined) {
    const own = roles.includes('agent') ? '; an agent posts of its own module' : '';
    throw new MaceError('PERMISSION_DENIED', `${type} is for ${roles.join(', ')}${own}`);
  }
  if (elevated.includes(role)) requireElevated(principal);
  return { id: principal.id, role };
}

/**
 * Who may report a failure over POST /events/failure: agents of their own module, operators of any, violations operators
 * only; what halts replays comes from an elevated admin, or from inside (spec/failures.md).
 * @throws MaceError PERMISSION_DENIED; ElevationRequiredError
 */
export function reportingActor({ principal }: CommandContext, type: FailureType, nodeId: string | undefined): Actor {
  if (isHaltingFailure(type)) {
    if (!hasRole(principal, 'admin')) throw new MaceError('PERMISSION_DENIED', `${type} is for admins`);
    requireElevated(principal);
    return { id: principal.id, role: 'admin' };
  }
  if (hasRole(principal, 'operator')) return { id: principal.id, role: 'operator' };
  const isOwnModule = nodeId !== undefined && isOwn(principal, nodeId);
  if (type !== 'POLICY_VIOLATION' && hasRole(principal, 'agent') && isOwnModule) {
    return { id: principal.id, role: 'agent' };
  }
  const who = type === 'POLICY_VIOLATION' ? 'operators' : 'operators, and agents of their own module';
  throw new MaceError('PERMISSION_DENIED', `${type} is for ${who}`);
}

const HALTING_FAILURES = ['SECURITY_INCIDENT', 'INTEGRITY_FAILURE'] as const;
export type HaltingFailure = (typeof HALTING_FAILURES)[number];

export const FAILURE_TYPES = ['AGENT_TIMEOUT', 'AGENT_EXCEPTION', 'POLICY_VIOLATION', ...HALTING_FAILURES] as const;
export type FailureType = (typeof FAILURE_TYPES)[number];
/** What stands in the stream of the module that it involves; an integrity failure stands in none. */
export type ModuleFailure = Exclude<FailureType, 'INTEGRITY_FAILURE'>;

export function isHaltingFailure(type: FailureType): type is HaltingFailure {
  return HALTING_FAILURES.some((one) => one === type);
}

/** The module as which an agent acts: `user_math_v1` is `agent:math_v1`. */
export function moduleOfAgent(principal: Pick<Principal, 'id'>): string {
  return `agent:${principal.id.replace(/^user_/, '')}`;
}

function isOwn(principal: Principal, nodeId: string): boolean {
  return moduleOfAgent(principal) === nodeId;
}
