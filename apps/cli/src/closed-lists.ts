/**
 * What may stand where only some words may: told by help, offered by a shell, and named where another word stands. Written
 * out, since the libraries that say so are not loaded before a command is known; closed-lists.unit.spec.ts compares them.
 */

export const ROLES = ['user', 'agent', 'operator', 'admin', 'council', 'auditor', 'superadmin'];

export const SCOPES = ['user', 'world', 'mace', 'agent', 'system', 'config'];

export const MODULE_TYPES = ['agent', 'tool', 'service', 'router', 'adapter', 'memory'];
export const MODULE_STATUSES = ['healthy', 'degraded', 'offline', 'quarantined'];

export const APT_EVENTS = [
  'COUNCIL_APPROVAL',
  'GROUND_TRUTH_LABEL',
  'AGENT_TIMEOUT',
  'AGENT_EXCEPTION',
  'MANUAL_OVERRIDE',
  'AGENT_SUCCESS',
  'OPERATIONAL_NOTE',
  'USER_FEEDBACK',
];

export const FAILURES = [
  'AGENT_TIMEOUT',
  'AGENT_EXCEPTION',
  'POLICY_VIOLATION',
  'SECURITY_INCIDENT',
  'INTEGRITY_FAILURE',
];

/** Of personal data; a consent is for one of them. */
export const PII_TYPES = [
  'us_ssn',
  'us_itin',
  'uk_nino',
  'uk_nhs',
  'ca_sin',
  'in_aadhaar',
  'es_nif',
  'es_nie',
  'it_fiscal_code',
  'de_tax_id',
  'pl_pesel',
  'au_tfn',
  'passport',
  'payment_card',
  'iban',
  'bank_account',
  'medical_diagnosis',
  'medical_record',
  'biometric',
  'phone',
  'postal_address',
  'email',
  'ip_address',
  'mac_address',
  'crypto_wallet',
  'first_name',
  'interest',
];

export const POLICIES = [
  'governance',
  'router',
  'brainstate',
  'selfrep',
  'safety',
  'privacy',
  'agents_allowed_writes',
  'negotiation',
];

/** What a later tick may take into working memory. */
export const MEMORIES = ['fact', 'context', 'user_hint'];

export const JOB_STATUSES = ['running', 'completed', 'blocked', 'failed'];

/** Seconds. */
export const COUNT_STEPS = ['60', '300', '3600', '21600', '86400'];

export const MISSING = ['snapshot', 'agent_output', 'input', 'record', 'integrity'];

export const PROJECTIONS = [
  'sem',
  'jobs',
  'actionrequests',
  'selfrep',
  'incidents',
  'halts',
  'unreplayable',
  'replays',
  'negotiations',
  'dsr',
  'brainstate',
  'audit',
  'job_counts',
];

/** Of the trail of audits. */
export const AUDIT_KINDS = [
  'access',
  'identity',
  'key',
  'governance',
  'integrity',
  'incident',
  'replay',
  'read_model',
  'person',
  'module',
];

/** How a data-subject request stands. */
export const DSR_STATES = ['ready', 'waiting_for_approval', 'approved', 'refused', 'erasing', 'erased'];

/** Kinds of streams, by what they tell of. */
export const HISTORIES = [
  'memory',
  'module',
  'policy',
  'request',
  'brainstate',
  'access',
  'amendment',
  'consent',
  'dsr',
  'forensic',
  'identity',
  'incident',
  'job',
  'negotiation',
  'principal',
  'replay',
  'snapshot',
  'system',
];

/** Governed actions: what somebody may ask approval for. */
export const ACTIONS = [
  'agent_endpoint',
  'force_continue',
  'force_halt_clear',
  'hitl',
  'human_review',
  'maintenance',
  'memory_promote',
  'memory_promote_request',
  'module_policy',
  'module_quarantine',
  'module_register',
  'module_release',
  'policy_change',
  'production_replay',
  'sem_delete',
  'sem_put',
  'trust_override',
];

/** Purposes of which each process has one key. */
export const ROTATABLE = [
  'event-hmac',
  'snapshot-hmac',
  'pii-hmac',
  'request-hmac',
  'token-signature',
  'response-signature',
  'checkpoint-signature',
  'data-key-wrapping',
  'forensic-evidence',
] as const;

/** What has another key after a rotation; a data key is one person's. */
export const KEY_PURPOSES: readonly string[] = [...ROTATABLE, 'data-key'];
