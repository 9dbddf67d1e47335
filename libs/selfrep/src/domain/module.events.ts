import { type DomainEvent, type EventDefinition, type Form, isJsonObject, type JsonObject, listOf } from '#lib/kernel';

import { type CallTarget, isEndpoint, isPrompt } from './endpoint.js';

/** Events of `module-{node_id}`. Each carries the health it leaves, so that readers need no rule of trust. */

export const MODULE_TYPES = ['agent', 'tool', 'service', 'router', 'adapter', 'memory'] as const;
export type ModuleType = (typeof MODULE_TYPES)[number];

export const MODULE_STATUSES = ['healthy', 'degraded', 'offline', 'quarantined'] as const;
export type ModuleStatus = (typeof MODULE_STATUSES)[number];

/** What an APT_EVENT can say of a module. */
export const APT_EVENT_TYPES = [
  'COUNCIL_APPROVAL',
  'GROUND_TRUTH_LABEL',
  'AGENT_TIMEOUT',
  'AGENT_EXCEPTION',
  'MANUAL_OVERRIDE',
  'AGENT_SUCCESS',
  'OPERATIONAL_NOTE',
  'USER_FEEDBACK',
] as const;
export type AptEventType = (typeof APT_EVENT_TYPES)[number];

/** What an outcome can be: what somebody may post, and that a job's turn found its language engine out of service. */
export type OutcomeType = AptEventType | 'LLM_SERVICE_DOWN';

/** Trust and status after an event. */
export interface ModuleHealth {
  /** Trust in [0, 1], 9 decimals. */
  readonly apt: number;
  readonly status: ModuleStatus;
  readonly status_reason: string;
  readonly consecutive_failures: number;
  /** How many of these are of its language engine; absent where none is. */
  readonly engine_failures?: number;
  /** How often its endpoint brought it back since it last gave an answer; absent where it did not. */
  readonly recoveries?: number;
  /** Hash of the agent card that is there in place of the approved one; absent where that is there. */
  readonly card_changed?: string;
  readonly total_calls: number;
  /** timestamp_seeded of the last failure. */
  readonly last_failure_ts: string | null;
  /** Events that could move trust or failures: all but notes and feedback. */
  readonly trust_events: number;
}

export interface Dependency {
  readonly to: string;
  readonly required: boolean;
}

export interface ModulePolicy {
  /** Empty allows all that is not forbidden. */
  readonly allowed_actions: readonly string[];
  readonly forbidden_actions: readonly string[];
}

/** The parts of a module that a governed change may replace. */
export interface ModuleProfile {
  readonly display_name: string;
  readonly version: string;
  readonly capabilities: readonly string[];
  readonly policy: ModulePolicy;
}

/** How it is called (`CallTarget`) is absent in version 1, and where it is part of the system or cannot be called. */
export interface ModuleRegistered extends ModuleProfile, CallTarget {
  readonly node_id: string;
  readonly agent_id: string;
  readonly type: ModuleType;
  readonly dependencies: readonly Dependency[];
  /** Never changes again. */
  readonly registration: { readonly registered_by: string; readonly registered_at: string };
  /** The ActionRequest that allowed it, where it needed one. */
  readonly request_id?: string;
  readonly health: ModuleHealth;
}

/** One thing that happened to a module, with the trust before and after it. */
export interface TrustOutcome {
  readonly event_type: OutcomeType;
  /** The event that tells of it: a job's, or the APT_EVENT itself where somebody posted it. */
  readonly event_id: string;
  /** timestamp_seeded of that event. */
  readonly timestamp: string;
  readonly approve?: boolean;
  readonly correct?: boolean;
  readonly new_apt?: number;
  readonly upvote?: boolean;
  readonly job_id?: string;
  readonly apt_before: number;
  readonly apt_after: number;
}

export interface AptEvent {
  readonly node_id: string;
  /** In their order; many where they come from jobs. */
  readonly outcomes: readonly TrustOutcome[];
  /** Position of the newest job event that is contained: what comes again up to there changes nothing. */
  readonly through?: string;
  readonly request_id?: string;
  /** Name of the reporter's details in the forensic store. */
  readonly evidence_ref?: string;
  /** Who wrote the note, whose personal field it is. */
  readonly user_id?: string;
  readonly note?: string;
  readonly health: ModuleHealth;
}

/** healthy <-> degraded, also as registered, and degraded for another reason; NODE_OFFLINE, MODULE_QUARANTINED, MODULE_RESTORED and MODULE_RECOVERED tell of the others. */
export interface ModuleStatusChanged {
  readonly node_id: string;
  readonly from: ModuleStatus;
  readonly to: ModuleStatus;
  readonly health: ModuleHealth;
}

export interface NodeOffline {
  readonly node_id: string;
  readonly from: ModuleStatus;
  readonly reason: string;
  /** The job in which it did what took it offline; absent where it was no job's. */
  readonly job_id?: string;
  readonly health: ModuleHealth;
}

/** As somebody reported it, in the module's stream; one in a job stands in the job's, with the turn and without health. */
export interface PolicyViolation {
  readonly node_id: string;
  readonly job_id?: string;
  /** The action that was not allowed. */
  readonly action?: string;
  /** Name of the evidence in the forensic store. */
  readonly evidence_ref?: string;
  readonly health: ModuleHealth;
}

/**
 * In `module-{node_id}` of the module involved, which goes offline with it; in `system-security`, without module and
 * health, where none is.
 */
export interface SecurityIncident {
  readonly node_id?: string;
  readonly job_id?: string;
  readonly action?: string;
  readonly evidence_ref?: string;
  readonly health?: ModuleHealth;
}

/** By decision of the council, or under an emergency override. */
export interface ModuleQuarantined {
  readonly node_id: string;
  readonly from: ModuleStatus;
  readonly request_id: string;
  readonly authority: 'council' | 'emergency';
  readonly reason: string;
  readonly health: ModuleHealth;
}

export interface ModuleRestored {
  readonly node_id: string;
  readonly from: ModuleStatus;
  readonly reason: string;
  readonly request_id?: string;
  readonly health: ModuleHealth;
}

/** offline -> degraded: failures took it offline, and its language engine, or its endpoint, is back. */
export interface ModuleRecovered {
  readonly node_id: string;
  readonly from: ModuleStatus;
  readonly health: ModuleHealth;
}

/** A flag from the stored statuses of required dependencies; no number follows from it here. */
export interface DependencyHealthChanged {
  readonly node_id: string;
  readonly dependency_unhealthy: boolean;
  /** The required dependencies that are not healthy. */
  readonly unhealthy: readonly string[];
}

/** Where it says how the module is called, that is in place of how it was called before. */
export interface ModuleChanged extends Partial<ModuleProfile>, CallTarget {
  readonly node_id: string;
  readonly request_id?: string;
}

interface ModuleEventData {
  readonly MODULE_REGISTERED: ModuleRegistered;
  readonly APT_EVENT: AptEvent;
  readonly MODULE_STATUS_CHANGED: ModuleStatusChanged;
  readonly NODE_OFFLINE: NodeOffline;
  readonly POLICY_VIOLATION: PolicyViolation;
  readonly SECURITY_INCIDENT: SecurityIncident;
  readonly MODULE_QUARANTINED: ModuleQuarantined;
  readonly MODULE_RESTORED: ModuleRestored;
  readonly MODULE_RECOVERED: ModuleRecovered;
  readonly DEPENDENCY_HEALTH_CHANGED: DependencyHealthChanged;
  readonly MODULE_CHANGED: ModuleChanged;
}

export type ModuleEventType = keyof ModuleEventData;

const FIELDS: Readonly<Record<ModuleEventType, readonly string[]>> = {
  MODULE_REGISTERED: [
    'node_id',
    'agent_id',
    'type',
    'display_name',
    'version',
    'capabilities',
    'dependencies',
    'policy',
    'registration',
    'endpoint',
    'prompt',
    'request_id',
    'health',
  ],
  APT_EVENT: ['node_id', 'outcomes', 'through', 'request_id', 'evidence_ref', 'user_id', 'health'],
  MODULE_STATUS_CHANGED: ['node_id', 'from', 'to', 'health'],
  NODE_OFFLINE: ['node_id', 'from', 'reason', 'job_id', 'health'],
  POLICY_VIOLATION: ['node_id', 'job_id', 'iteration', 'attempt', 'agent_id', 'action', 'evidence_ref', 'health'],
  SECURITY_INCIDENT: ['node_id', 'job_id', 'action', 'evidence_ref', 'health'],
  MODULE_QUARANTINED: ['node_id', 'from', 'request_id', 'authority', 'reason', 'health'],
  MODULE_RESTORED: ['node_id', 'from', 'reason', 'request_id', 'health'],
  MODULE_RECOVERED: ['node_id', 'from', 'health'],
  DEPENDENCY_HEALTH_CHANGED: ['node_id', 'dependency_unhealthy', 'unhealthy'],
  MODULE_CHANGED: ['node_id', 'request_id', 'display_name', 'version', 'capabilities', 'policy', 'endpoint', 'prompt'],
};

export const MODULE_EVENT_TYPES = Object.keys(FIELDS) as readonly ModuleEventType[];

/** Events after which a module may have another status. */
export const STATUS_EVENT_TYPES: readonly ModuleEventType[] = [
  'MODULE_REGISTERED',
  'MODULE_STATUS_CHANGED',
  'NODE_OFFLINE',
  'MODULE_QUARANTINED',
  'MODULE_RESTORED',
  'MODULE_RECOVERED',
];

const FORMS: Partial<Readonly<Record<ModuleEventType, Readonly<Record<string, Form>>>>> = {
  MODULE_REGISTERED: { dependencies: listOf(isJsonObject), endpoint: isEndpoint, prompt: isPrompt },
  MODULE_CHANGED: { endpoint: isEndpoint, prompt: isPrompt },
  APT_EVENT: { outcomes: listOf(isJsonObject) },
};

/** What a later release added a member to; what was stored before stays as it is. */
const LATER: Partial<Readonly<Record<ModuleEventType, Pick<EventDefinition, 'version' | 'upcasters'>>>> = {
  MODULE_REGISTERED: { version: 2, upcasters: { 1: (data) => data } },
  MODULE_CHANGED: { version: 2, upcasters: { 1: (data) => data } },
};

export const moduleEvents: readonly EventDefinition[] = MODULE_EVENT_TYPES.map((type) => ({
  type,
  ...(LATER[type] ?? { version: 1 }),
  plain: FIELDS[type],
  ...(FORMS[type] ? { forms: FORMS[type] } : {}),
  ...(type === 'APT_EVENT'
    ? { personal: ['note'], subject: (data: JsonObject) => (data['user_id'] as string | undefined) ?? null }
    : {}),
}));

/** A domain event from typed data: the one cast between selfrep's types and JSON. */
export function moduleEvent<T extends ModuleEventType>(type: T, data: ModuleEventData[T]): DomainEvent {
  return { type, data: data as unknown as JsonObject };
}

export function moduleStream(nodeId: string): string {
  return `module-${nodeId}`;
}

/** Whether an event stands in its module's own stream: a job records what a module did in it too. */
export function isOfModule({ stream, data }: { readonly stream: string; readonly data: JsonObject }): boolean {
  return stream === moduleStream(data['node_id'] as string);
}
