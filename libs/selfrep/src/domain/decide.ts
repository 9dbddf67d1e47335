import { failure, canonicalize, MaceError, round9, type DomainEvent } from '#lib/kernel';

import type { SelfrepConstants } from './constants.js';
import type { CallTarget } from './endpoint.js';
import {
  type AptEvent,
  moduleEvent,
  type ModuleHealth,
  type ModulePolicy,
  type ModuleProfile,
  type NodeOffline,
  type PolicyViolation,
  type TrustOutcome,
} from './module.events.js';
import type { Module } from './module.js';
import { callTargetOf, checkProfile, type ModuleSpec } from './registration.js';
import { isOfEngineAlone, isOfFailures, newHealth, settled } from './status.js';
import { type Incoming, judge } from './trust.js';

const MAX_OUTCOMES = 256;
/** What a registration settles for good. */
const IMMUTABLE = ['node_id', 'registration'] as const;
const CHANGEABLE = ['display_name', 'version', 'capabilities', 'policy'] as const;

export interface Registration {
  readonly spec: ModuleSpec;
  readonly registered_by: string;
  /** Real time at the edge, ISO 8601. */
  readonly registered_at: string;
  /** Trust to begin with; APT_INIT where absent. */
  readonly apt?: number;
  readonly request_id?: string;
  /** Its required dependencies that are not healthy now. */
  readonly unhealthy: readonly string[];
}

/** @throws MaceError IMMUTABLE_FIELD where the node_id is registered */
export function decideRegister(
  module: Module | null,
  { spec, registered_by, registered_at, apt, request_id, unhealthy }: Registration,
  constants: SelfrepConstants,
): readonly DomainEvent[] {
  if (module) throw immutableModule(spec.node_id, ['registration']);
  const registered = moduleEvent('MODULE_REGISTERED', {
    ...spec,
    registration: { registered_by, registered_at },
    ...(request_id === undefined ? {} : { request_id }),
    health: newHealth(round9(apt ?? constants.apt_init), constants),
  });
  return unhealthy.length === 0 ? [registered] : [registered, flagEvent(spec.node_id, unhealthy)];
}

/** What happened beside the outcomes themselves. */
export type OutcomeDetails = Pick<AptEvent, 'through' | 'request_id' | 'evidence_ref' | 'user_id' | 'note'>;

/**
 * Judges outcomes in their order. An APT_EVENT holds a run of them; where one changes the status, an event of its own
 * says so right behind it.
 */
export function decideOutcomes(
  module: Module,
  incoming: readonly Incoming[],
  details: OutcomeDetails,
  constants: SelfrepConstants,
): readonly DomainEvent[] {
  const events: DomainEvent[] = [];
  let run: TrustOutcome[] = [];
  let health = module.health;
  const close = (after: ModuleHealth, isLast: boolean): void => {
    if (run.length === 0) return;
    const { through, ...rest } = details;
    const end = isLast && through !== undefined ? { through } : {};
    events.push(moduleEvent('APT_EVENT', { node_id: module.node_id, outcomes: run, ...rest, ...end, health: after }));
    run = [];
  };
  incoming.forEach((one, i) => {
    const isLast = i === incoming.length - 1;
    const { outcome, health: after } = judge(health, one, constants);
    run.push(outcome);
    const { status, status_reason } = health;
    if (after.status !== status) {
      close({ ...after, status, status_reason }, isLast);
      events.push(statusEvent(module.node_id, health, after));
    } else if (isLast || run.length === MAX_OUTCOMES) {
      close(after, isLast);
    }
    health = after;
  });
  return events;
}

export type Violation = Omit<PolicyViolation, 'node_id' | 'health'>;

/** A violation takes the module offline at once; quarantine is for people to decide (seed 000, E). */
export function decideViolation(module: Module, violation: Violation): readonly DomainEvent[] {
  const { node_id, health } = module;
  const events = [moduleEvent('POLICY_VIOLATION', { node_id, ...violation, health })];
  return staysDown(module) ? events : [...events, offlineEvent(node_id, health, 'policy violation')];
}

/** The module that a security incident involves is treated alike (seed 000, E). */
export function decideSecurityIncident(module: Module, incident: Violation): readonly DomainEvent[] {
  const { node_id, health } = module;
  const events = [moduleEvent('SECURITY_INCIDENT', { node_id, ...incident, health })];
  return staysDown(module) ? events : [...events, offlineEvent(node_id, health, 'security incident')];
}

/** A violation that a job recorded takes the module offline too; it stands in the job's stream, and only there. */
export function decideOfflineAfter(module: Module, job_id: string): readonly DomainEvent[] {
  const { node_id, health } = module;
  return staysDown(module) ? [] : [offlineEvent(node_id, health, 'policy violation', { job_id })];
}

/** What people decided, with the request that records how. */
export interface GovernedDecision {
  readonly request_id: string;
  readonly authority: 'council' | 'emergency';
  readonly reason: string;
}

/** @throws MaceError CONFLICT: there is nothing for the council to decide */
export function refuseQuarantined({ node_id, health }: Module): void {
  if (health.status === 'quarantined') throw new MaceError('CONFLICT', `${node_id} is quarantined already`);
}

/** @throws MaceError CONFLICT: only what is quarantined can be released */
export function refuseUnlessQuarantined({ node_id, health: { status } }: Module): void {
  if (status === 'quarantined') return;
  const hint = status === 'offline' ? '; an admin restores it' : '';
  throw new MaceError('CONFLICT', `${node_id} is ${status}; only a quarantined module can be released${hint}`);
}

/** @throws MaceError CONFLICT where the policy says this already */
export function refuseSamePolicy({ node_id, policy }: Module, wanted: ModulePolicy): void {
  if (canonicalize(policy) === canonicalize(wanted))
    throw new MaceError('CONFLICT', `the policy of ${node_id} says this already`);
}

/**
 * offline -> quarantined; a module that still runs goes offline first, in the same append: seed 000, E lets the council
 * quarantine at once, and spec/decisions.md knows no other way there. Nothing where it is quarantined already.
 */
export function decideQuarantine(module: Module, decision: GovernedDecision): readonly DomainEvent[] {
  const { node_id, health } = module;
  if (health.status === 'quarantined') return [];
  const { request_id, authority, reason } = decision;
  const after: ModuleHealth = {
    ...ownFailures(health),
    status: 'quarantined',
    status_reason: `quarantined (${authority})`,
  };
  const quarantined = moduleEvent('MODULE_QUARANTINED', {
    node_id,
    from: 'offline',
    request_id,
    authority,
    reason,
    health: after,
  });
  if (health.status === 'offline') return [quarantined];
  return [offlineEvent(node_id, health, 'to be quarantined'), quarantined];
}

/** quarantined -> offline; an admin's restore leads on from there. Nothing where it is not quarantined. */
export function decideRelease(module: Module, decision: GovernedDecision): readonly DomainEvent[] {
  const { node_id, health } = module;
  if (health.status !== 'quarantined') return [];
  const { request_id, authority, reason } = decision;
  const after: ModuleHealth = { ...health, status: 'offline', status_reason: `released (${authority})` };
  return [moduleEvent('MODULE_RESTORED', { node_id, from: 'quarantined', reason, request_id, health: after })];
}

const RAISED = '; where it is trusted too little to be asked, the council raises that (trust_override)';

/**
 * offline -> degraded, an admin's: no failures in a row, trust at least APT_INIT. It holds until the next trust event.
 * @throws MaceError CONFLICT for any other status
 */
export function decideRestore(module: Module, reason: string, constants: SelfrepConstants): readonly DomainEvent[] {
  const { node_id, health } = module;
  if (health.status !== 'offline') {
    const hint = health.status === 'quarantined' ? '; the council releases it' : RAISED;
    throw new MaceError('CONFLICT', `${node_id} is ${health.status}; only an offline module can be restored${hint}`);
  }
  const { recoveries: _, ...own } = ownFailures(health);
  const after: ModuleHealth = {
    ...own,
    status: 'degraded',
    status_reason: 'restored by an admin',
    consecutive_failures: 0,
    apt: Math.max(health.apt, constants.apt_init),
  };
  return [moduleEvent('MODULE_RESTORED', { node_id, from: 'offline', reason, health: after })];
}

/** offline -> degraded, once its language engine is back; nothing where anything else took it offline. */
export function decideRecovery(module: Module): readonly DomainEvent[] {
  return isOfEngineAlone(module.health) ? [recovered(module, 'its language engine is back')] : [];
}

/**
 * offline -> degraded, once its endpoint answers; nothing where anything but failures took it offline. As a restore does,
 * with trust at least APT_INIT, since no router asks it with what its failures left it; but not for ever where it gives no
 * answer in between (docs/decisions/0043).
 */
export function decideAnswering(module: Module, constants: SelfrepConstants): readonly DomainEvent[] {
  if (!isOfflineByFailures(module)) return [];
  const { apt, recoveries = 0 } = module.health;
  const raised = recoveries < constants.fails_offline ? Math.max(apt, constants.apt_init) : apt;
  return [recovered(module, 'its endpoint answers', { apt: raised, recoveries: recoveries + 1 })];
}

/** Whether a module elsewhere went offline by failures of its own, and nothing took it offline besides. */
export function isOfflineByFailures({ endpoint, prompt, health }: CallTarget & Pick<Module, 'health'>): boolean {
  return (endpoint !== undefined || prompt !== undefined) && isOfFailures(health);
}

function recovered(
  { node_id, health }: Module,
  status_reason: string,
  more: Pick<Partial<ModuleHealth>, 'apt' | 'recoveries'> = {},
): DomainEvent {
  const after: ModuleHealth = {
    ...ownFailures(health),
    status: 'degraded',
    status_reason,
    consecutive_failures: 0,
    ...more,
  };
  return moduleEvent('MODULE_RECOVERED', { node_id, from: 'offline', health: after });
}

/**
 * How a module is called, in place of how it was called before.
 * @throws MaceError INVALID_INPUT, CONFLICT for a module of the system and where it is called so already
 */
export function decideCallTarget(module: Module, target: CallTarget, request_id: string): readonly DomainEvent[] {
  refuseSameTarget(module, target);
  return [moduleEvent('MODULE_CHANGED', { node_id: module.node_id, ...target, request_id })];
}

/** Degraded while the card of an agent by A2A is another than was approved. @param sha256 of the card that is there now */
export function decideCard(module: Module, sha256: string, constants: SelfrepConstants): readonly DomainEvent[] {
  const { node_id, health, endpoint } = module;
  const { card_changed: before, ...plain } = health;
  const changed = sha256 === endpoint?.card?.sha256 ? undefined : sha256;
  if (endpoint?.card === undefined || isDown(module) || before === changed) return [];
  const after = changed === undefined ? plain : { ...plain, card_changed: changed };
  return [statusEvent(node_id, health, settled(after, constants))];
}

/** A card that was approved is no other any more. */
export function decideCardApproved({ node_id, health }: Module, constants: SelfrepConstants): readonly DomainEvent[] {
  const { card_changed: before, ...plain } = health;
  if (before === undefined) return [];
  const after = settled(plain, constants);
  return [moduleEvent('MODULE_STATUS_CHANGED', { node_id, from: health.status, to: after.status, health: after })];
}

/** As `decideCallTarget` refuses it. */
export function refuseSameTarget(module: Module, target: CallTarget): void {
  const { node_id, type, registration, endpoint, prompt } = module;
  if (registration.registered_by === 'system')
    throw new MaceError('CONFLICT', `${node_id} is part of the system, which calls it itself`);
  const wanted = callTargetOf({ type, ...target });
  if (Object.keys(wanted).length === 0) throw new MaceError('INVALID_INPUT', 'endpoint: one of endpoint and prompt');
  if (canonicalize(wanted) === canonicalize({ ...(endpoint && { endpoint }), ...(prompt && { prompt }) }))
    throw new MaceError('CONFLICT', `${node_id} is called so already`);
}

/** Nothing where the flag stands already. */
export function decideFlag(module: Module, unhealthy: readonly string[]): readonly DomainEvent[] {
  if (canonicalize(module.unhealthy) === canonicalize(unhealthy)) return [];
  return [flagEvent(module.node_id, unhealthy)];
}

/**
 * Replaces parts of a module's profile; nothing where it is so already.
 * @throws MaceError IMMUTABLE_FIELD for node_id and registration, INVALID_INPUT for what cannot be
 */
export function decideChange(
  module: Module,
  change: Partial<ModuleProfile>,
  request_id?: string,
): readonly DomainEvent[] {
  const named = Object.keys(change);
  const fixed = IMMUTABLE.filter((field) => named.includes(field));
  if (fixed.length > 0) throw immutableModule(module.node_id, fixed);
  const unknown = named.find((field) => !(CHANGEABLE as readonly string[]).includes(field));
  if (unknown !== undefined) throw new MaceError('INVALID_INPUT', `${unknown}: of ${CHANGEABLE.join(', ')}`);
  checkProfile(change);
  const changed = CHANGEABLE.filter(
    (field) => change[field] !== undefined && canonicalize(change[field]) !== canonicalize(module[field]),
  );
  if (changed.length === 0) return [];
  const fields = Object.fromEntries(changed.map((field) => [field, change[field]])) as Partial<ModuleProfile>;
  const by = request_id === undefined ? {} : { request_id };
  return [moduleEvent('MODULE_CHANGED', { node_id: module.node_id, ...fields, ...by })];
}

/** Whether nothing may be asked of it and nothing taken from it. */
export function isDown({ health: { status } }: Pick<Module, 'health'>): boolean {
  return status === 'offline' || status === 'quarantined';
}

/** Whether it is down for a reason that no recovery of its language engine or its endpoint ends. */
function staysDown(module: Module): boolean {
  return isDown(module) && !isOfEngineAlone(module.health) && !isOfflineByFailures(module);
}

/** Without the count of those of its language engine, which is of failures in a row. */
function ownFailures({ engine_failures: _, ...health }: ModuleHealth): ModuleHealth {
  return health;
}

type Where = Pick<NodeOffline, 'job_id'>;

function statusEvent(node_id: string, before: ModuleHealth, after: ModuleHealth, where: Where = {}): DomainEvent {
  const { status: from } = before;
  if (after.status === 'offline') {
    return moduleEvent('NODE_OFFLINE', { node_id, from, reason: after.status_reason, ...where, health: after });
  }
  return moduleEvent('MODULE_STATUS_CHANGED', { node_id, from, to: after.status, health: after });
}

function offlineEvent(node_id: string, health: ModuleHealth, reason: string, where: Where = {}): DomainEvent {
  return statusEvent(node_id, health, { ...ownFailures(health), status: 'offline', status_reason: reason }, where);
}

function flagEvent(node_id: string, unhealthy: readonly string[]): DomainEvent {
  return moduleEvent('DEPENDENCY_HEALTH_CHANGED', { node_id, dependency_unhealthy: unhealthy.length > 0, unhealthy });
}

/** What a registration settled is asked to be otherwise. */
export function immutableModule(node_id: string, fields: readonly string[]): MaceError {
  return failure('IMMUTABLE_FIELD', 'module', { fields: fields.join(', '), node_id }, { node_id });
}
