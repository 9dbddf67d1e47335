import type { Role } from './principal.js';

/**
 * What a permission asks for (spec/privacy.md, "Who may do what").
 * `roles`: any of them opens the door, the least powerful first; the actor recorded in events is the first one held.
 * `elevated`: `conditional` where the handler decides, by `requireElevated`.
 */
export interface Permission {
  readonly roles: readonly Role[];
  readonly elevated: boolean | 'conditional';
  /** What the handler still decides: ownership, redaction, conditions of elevation. */
  readonly note?: string;
  /** Only through the socket in the data folder, for the principal `local`. */
  readonly localOnly?: boolean;
}

const ANY: readonly Role[] = ['user', 'agent', 'operator', 'auditor', 'council', 'admin', 'superadmin'];
const OPERATOR_UP: readonly Role[] = ['operator', 'auditor', 'admin'];
const AUDITOR_UP: readonly Role[] = ['auditor', 'admin'];

/** Every permission there is: the one table of who may do what. A route that names none of them stops the start. */
export const PERMISSIONS = {
  'sem.read': { roles: ANY, elevated: false, note: 'user/ keys: their owner and admin only' },
  'sem.write': { roles: ANY, elevated: 'conditional', note: 'elevated outside one’s own user/ keys' },
  'sem.delete': { roles: ['admin'], elevated: true },
  'sem.list': { roles: ['admin'], elevated: false },
  'sem.keys': { roles: ANY, elevated: false },
  'sem.resolve': { roles: ANY, elevated: false, note: 'aliases resolve for the asking principal' },

  'jobs.create': { roles: ['user', 'agent', 'admin'], elevated: false },
  'jobs.read': { roles: ANY, elevated: false, note: 'one’s own; operator, auditor and admin see others’ redacted' },
  'jobs.feedback': { roles: ['user', 'agent', 'admin'], elevated: false, note: 'one’s own jobs' },
  'router.route': { roles: ANY, elevated: false },
  'router.decide': { roles: ANY, elevated: false, note: 'for oneself' },
  'reflective-logs.read': { roles: ANY, elevated: false, note: 'the job’s owner or admin' },
  'reflective-logs.amend': { roles: ANY, elevated: false, note: 'the job’s owner or admin' },
  'reflective-logs.verify': {
    roles: ANY,
    elevated: 'conditional',
    note: 'the job’s owner or admin; elevated where an admin’s check ends a quarantine',
  },
  'reflective-logs.label': { roles: ['council', 'admin'], elevated: true, note: 'once a person; moves trust' },
  'reflective-logs.tag': { roles: ['admin'], elevated: true },

  'replay.request': {
    roles: OPERATOR_UP,
    elevated: false,
    note: 'production mode: admin or auditor, or a council approval',
  },
  'replay.read': { roles: OPERATOR_UP, elevated: false },
  'audit.event': {
    roles: ANY,
    elevated: false,
    note: 'events one caused or of one’s own jobs; otherwise auditor, admin',
  },
  'audit.read': { roles: AUDITOR_UP, elevated: false, note: 'unredacted access is recorded first' },
  'integrity.verify': { roles: AUDITOR_UP, elevated: false },

  'actionrequest.create': {
    roles: ['agent', 'council', 'admin', 'operator'],
    elevated: 'conditional',
    note: 'elevated for council and admin',
  },
  'actionrequest.read': {
    roles: ANY,
    elevated: false,
    note: 'one’s own; council and admin see all, operator and auditor redacted',
  },
  'actionrequest.vote': {
    roles: ['council', 'admin'],
    elevated: true,
    note: 'the council’s requests: its members; the others: an admin; never one’s own',
  },
  'actionrequest.approve': { roles: ['admin'], elevated: true, note: 'never one’s own' },
  'governance.propose': { roles: ['council', 'admin'], elevated: true },
  'governance.events': { roles: ['council', ...OPERATOR_UP], elevated: false, note: 'operator and auditor: redacted' },
  'superadmin.override': {
    roles: ['superadmin', 'admin'],
    elevated: true,
    note: 'two people: a superadmin begins, an admin signs too',
  },

  'modules.read': { roles: OPERATOR_UP, elevated: false },
  'modules.register': { roles: ['admin'], elevated: true },
  'modules.quarantine': { roles: ['admin'], elevated: true, note: 'asks the council' },
  'modules.restore': { roles: ['admin'], elevated: true },
  'apt.event': {
    roles: ['user', 'agent', 'operator', 'council', 'admin'],
    elevated: 'conditional',
    note: 'outcomes: operator, and agents of their own module; approvals: council; labels and overrides: council or admin; feedback: users; elevated for council and admin',
  },
  'apt.recompute': { roles: ['admin'], elevated: false, note: 'changes nothing' },
  'events.failure': {
    roles: ['agent', 'operator'],
    elevated: 'conditional',
    note: 'agents of their own module; violations: operator; integrity failures and security incidents: elevated admin',
  },

  'incidents.read': { roles: OPERATOR_UP, elevated: false },
  'incidents.ack': { roles: ['admin'], elevated: true },

  'brainstate.change': { roles: ['council', 'admin'], elevated: true },
  'brainstate.read': {
    roles: ['council', ...OPERATOR_UP],
    elevated: false,
    note: 'operator and auditor: redacted; each look is recorded first',
  },

  'projections.read': { roles: ['operator'], elevated: false },
  'projections.rerun': { roles: ['operator'], elevated: false },

  'auth.step-up': { roles: ANY, elevated: false, note: 'whoever has enrolled a second factor' },
  'auth.enrol': { roles: ANY, elevated: true, note: 'for oneself; the first time by `mace otp enrol`' },
  'auth.revoke': {
    roles: ANY,
    elevated: 'conditional',
    note: 'one’s own tokens; others’: admin, elevated',
  },
  'principals.register': { roles: ['superadmin'], elevated: false, localOnly: true },
  'principals.enrol': { roles: ['superadmin'], elevated: false, localOnly: true },
  'principals.remove': { roles: ['superadmin'], elevated: false, localOnly: true },
} as const satisfies Record<string, Permission>;

export type PermissionName = keyof typeof PERMISSIONS;

export function isPermissionName(name: string): name is PermissionName {
  return Object.hasOwn(PERMISSIONS, name);
}

export function permissionOf(name: PermissionName): Permission {
  return PERMISSIONS[name];
}
