import type { Role } from './principal.js';

/**
 * What a permission asks for (spec/privacy.md, "Who may do what").
 * `roles`: any of them opens the door, the least powerful first; the actor recorded in events is the first one held.
 * `elevated`: `conditional` where the handler decides, by `requireElevated`.
 */
export interface Permission {
  readonly roles: readonly Role[];
  readonly elevated: boolean | 'conditional';
  /**
   * Whose things the routes name, and what they answer where a thing is another's. Every permission whose routes have a
   * path with parts says it.
   */
  readonly things?: Ownership;
  /** What the handler still decides: ownership, redaction, conditions of elevation. */
  readonly note?: string;
  /** Only through the socket in the data folder, for the principal `local`. */
  readonly localOnly?: boolean;
}

/** `nobodys`: a thing that no user owns, so that the roles say all. */
export type Ownership =
  | 'nobodys'
  | {
      /** What others get, whether there is such a thing or not. */
      readonly others: 'NOT_FOUND' | 'PERMISSION_DENIED';
      /** Who is not counted among the others. */
      readonly except: readonly Role[];
      /** Who may have such things at all; every role that opens the door where absent. */
      readonly owners?: readonly Role[];
    };

const ANY: readonly Role[] = ['user', 'agent', 'operator', 'auditor', 'council', 'admin', 'superadmin'];
const OPERATOR_UP: readonly Role[] = ['operator', 'auditor', 'admin'];
const AUDITOR_UP: readonly Role[] = ['auditor', 'admin'];

/** Every permission there is: the one table of who may do what. A route that names none of them stops the start. */
export const PERMISSIONS = {
  'sem.read': {
    roles: ANY,
    elevated: false,
    things: { others: 'PERMISSION_DENIED', except: ['admin'] },
    note: 'user/ keys: their owner and admin only',
  },
  'sem.write': {
    roles: ANY,
    elevated: 'conditional',
    things: { others: 'PERMISSION_DENIED', except: ['admin'], owners: ['user', 'admin'] },
    note: 'elevated outside one’s own user/ keys',
  },
  'sem.delete': { roles: ['admin'], elevated: true, things: 'nobodys' },
  'sem.list': { roles: ['admin'], elevated: false },
  'sem.keys': { roles: ANY, elevated: false },
  'sem.resolve': { roles: ANY, elevated: false, note: 'aliases resolve for the asking principal' },

  'jobs.create': {
    roles: ['user', 'agent', 'admin'],
    elevated: 'conditional',
    note: 'for oneself; for another: admin, on record, and elevated where the job writes to memory',
  },
  'jobs.read': {
    roles: ANY,
    elevated: false,
    things: { others: 'NOT_FOUND', except: OPERATOR_UP },
    note: 'one’s own; operator, auditor and admin see others’ redacted',
  },
  'jobs.counts': { roles: OPERATOR_UP, elevated: false },
  'jobs.unreplayable': { roles: OPERATOR_UP, elevated: false },
  'jobs.feedback': {
    roles: ['user', 'agent', 'admin'],
    elevated: false,
    things: { others: 'NOT_FOUND', except: [] },
    note: 'one’s own jobs',
  },
  'jobs.review': {
    roles: ['user', 'agent', 'admin'],
    elevated: false,
    things: { others: 'NOT_FOUND', except: [] },
    note: 'one’s own jobs, where a review was offered',
  },
  'router.route': { roles: ANY, elevated: false },
  'router.decide': { roles: ANY, elevated: false, note: 'for oneself' },
  'reflective-logs.read': {
    roles: ANY,
    elevated: false,
    things: { others: 'NOT_FOUND', except: ['admin'] },
    note: 'the job’s owner or admin',
  },
  'reflective-logs.amend': {
    roles: ANY,
    elevated: 'conditional',
    things: { others: 'NOT_FOUND', except: ['admin'] },
    note: 'the job’s owner, or an elevated admin',
  },
  'reflective-logs.verify': {
    roles: ANY,
    elevated: 'conditional',
    things: { others: 'NOT_FOUND', except: ['admin'] },
    note: 'the job’s owner or admin; elevated where an admin’s check ends a quarantine',
  },
  'reflective-logs.label': {
    roles: ['council', 'admin'],
    elevated: true,
    things: 'nobodys',
    note: 'once a person; moves trust',
  },
  'reflective-logs.tag': { roles: ['admin'], elevated: true, things: 'nobodys' },

  'replay.request': {
    roles: OPERATOR_UP,
    elevated: false,
    note: 'production mode: admin or auditor, or a council approval',
  },
  'replay.halts': { roles: ['council', ...OPERATOR_UP], elevated: false },
  'replay.clear-halt': {
    roles: ['admin'],
    elevated: true,
    things: 'nobodys',
    note: 'verifies the snapshot and asks the council',
  },
  'replay.sweep': { roles: OPERATOR_UP, elevated: false, things: 'nobodys' },
  'replay.read': { roles: OPERATOR_UP, elevated: false, things: 'nobodys' },
  'replay.force_continue': {
    roles: ['admin'],
    elevated: true,
    things: 'nobodys',
    note: 'with the council’s approval of that difference',
  },
  'audit.event': {
    roles: ANY,
    elevated: false,
    things: { others: 'NOT_FOUND', except: AUDITOR_UP },
    note: 'events one caused or of one’s own jobs; otherwise auditor, admin',
  },
  'audit.read': { roles: AUDITOR_UP, elevated: false, things: 'nobodys', note: 'unredacted access is recorded first' },
  'audit.bundle': {
    roles: AUDITOR_UP,
    elevated: false,
    things: 'nobodys',
    note: 'personal fields stay encrypted',
  },
  'audit.proof': { roles: AUDITOR_UP, elevated: false, things: 'nobodys' },
  'audit.evidence': { roles: ['admin'], elevated: true, things: 'nobodys', note: 'each look is recorded first' },
  'history.diff': { roles: AUDITOR_UP, elevated: false },
  'integrity.verify': { roles: AUDITOR_UP, elevated: false, things: 'nobodys' },

  'actionrequest.create': {
    roles: ['agent', 'council', 'admin', 'operator'],
    elevated: 'conditional',
    note: 'elevated for council and admin',
  },
  'actionrequest.read': {
    roles: ANY,
    elevated: false,
    things: { others: 'NOT_FOUND', except: ['council', ...OPERATOR_UP] },
    note: 'one’s own; council and admin see all, operator and auditor redacted',
  },
  'actionrequest.vote': {
    roles: ['council', 'admin'],
    elevated: true,
    things: 'nobodys',
    note: 'the council’s requests: its members; the others: an admin; never one’s own',
  },
  'actionrequest.approve': { roles: ['admin'], elevated: true, things: 'nobodys', note: 'never one’s own' },
  'governance.propose': { roles: ['council', 'admin'], elevated: true },
  'governance.events': {
    roles: ['council', ...OPERATOR_UP],
    elevated: false,
    things: 'nobodys',
    note: 'operator and auditor: redacted',
  },
  'superadmin.override': {
    roles: ['superadmin', 'admin'],
    elevated: true,
    note: 'two people: a superadmin begins, an admin signs too',
  },

  'negotiations.submit': {
    roles: ['agent', 'admin'],
    elevated: false,
    note: 'as producer or critic of one’s own name; gRPC only',
  },
  'negotiations.read': {
    roles: ['agent', ...OPERATOR_UP],
    elevated: false,
    things: { others: 'NOT_FOUND', except: OPERATOR_UP },
    note: 'the producer and the critics asked; operator, auditor and admin see others’ redacted',
  },
  'critics.list': { roles: OPERATOR_UP, elevated: false, things: 'nobodys' },
  'negotiations.register': { roles: ['agent', 'admin'], elevated: false, note: 'oneself; gRPC only' },

  'modules.read': { roles: OPERATOR_UP, elevated: false, things: 'nobodys' },
  'modules.register': { roles: ['admin'], elevated: true },
  'modules.quarantine': { roles: ['admin'], elevated: true, note: 'asks the council' },
  'modules.restore': { roles: ['admin'], elevated: true, things: 'nobodys' },
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

  'events.tail': {
    roles: ['agent', ...OPERATOR_UP],
    elevated: false,
    note: 'redacted; agents: only events of negotiations that ask them',
  },

  'incidents.read': { roles: OPERATOR_UP, elevated: false },
  'incidents.ack': { roles: ['admin'], elevated: true },

  'brainstate.change': { roles: ['council', 'admin'], elevated: true },
  'brainstate.list': { roles: ['council', ...OPERATOR_UP], elevated: false, things: 'nobodys' },
  'brainstate.read': {
    roles: ['council', ...OPERATOR_UP],
    elevated: false,
    things: 'nobodys',
    note: 'operator and auditor: redacted; each look is recorded first',
  },

  'me.read': { roles: ANY, elevated: false, note: 'one’s own alone' },
  'dsr.request': {
    roles: ANY,
    elevated: 'conditional',
    note: 'for oneself, by a one-time code; admin, elevated, for another by a document',
  },
  'dsr.read': {
    roles: ANY,
    elevated: false,
    things: { others: 'NOT_FOUND', except: ['council', 'admin'] },
    note: 'one’s own, those one filed; admin and council see all; the queue lists one’s own, or all of them',
  },
  'dsr.approve': {
    roles: ['council', 'admin'],
    elevated: true,
    things: 'nobodys',
    note: 'never what one filed or what is about oneself',
  },
  'dsr.export': {
    roles: ANY,
    elevated: false,
    things: { others: 'NOT_FOUND', except: [] },
    note: 'the person’s own alone; recorded first',
  },
  'dsr.refuse': {
    roles: ['council', 'admin'],
    elevated: true,
    things: 'nobodys',
    note: 'with a reason for the person',
  },
  'dsr.hold': { roles: ['admin'], elevated: true },
  'dsr.holds': { roles: ['council', 'admin'], elevated: false },
  'dsr.lift-hold': { roles: ['council', 'admin'], elevated: true, things: 'nobodys' },

  'graphql.ask': { roles: ANY, elevated: false, note: 'each field asks for the permission of its own row' },
  'a2a.ask': { roles: ANY, elevated: false, note: 'each method asks for the permission of its operation over REST' },
  'mcp.ask': { roles: ANY, elevated: false, note: 'each tool asks for the permission of its own row' },

  'pii.detect': { roles: ANY, elevated: false },
  'consents.record': {
    roles: ['admin'],
    elevated: true,
    note: 'for another, of types that the privacy policy names; on record with who and by which document',
  },
  'consents.own': { roles: ANY, elevated: false, things: { others: 'NOT_FOUND', except: [] }, note: 'one’s own alone' },

  'projections.read': { roles: ['operator'], elevated: false, things: 'nobodys' },
  'projections.rerun': {
    roles: ['operator', 'auditor'],
    elevated: false,
    things: 'nobodys',
    note: 'recorded with who, range, digests and verdict',
  },
  'projections.rebuild': { roles: ['operator'], elevated: false, things: 'nobodys', note: 'recorded with who and why' },
  'projections.park': { roles: ['operator'], elevated: false, things: 'nobodys', note: 'recorded with who and why' },

  'auth.step-up': { roles: ANY, elevated: false, note: 'whoever has enrolled a second factor' },
  'auth.enrol': {
    roles: ANY,
    elevated: 'conditional',
    note: 'for oneself: with an elevated token; the first time by an admin’s invitation, or by `mace otp enrol`',
  },
  'auth.invite': { roles: ['admin'], elevated: true },
  'auth.revoke': {
    roles: ANY,
    elevated: 'conditional',
    note: 'one’s own tokens; others’: admin, elevated',
  },
  'auth.session': { roles: ANY, elevated: false, note: 'of the token in hand' },
  'sign-in.link': { roles: ['superadmin'], elevated: false, localOnly: true },
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
