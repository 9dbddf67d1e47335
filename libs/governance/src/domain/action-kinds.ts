import { MaceError, shownName, type JsonObject } from '#lib/kernel';

import type { RiskClass } from './action-requests.events.js';

/** What a payload of this action holds; the name of an optional member ends in `?`. */
export type MemberForm = 'text' | 'number' | 'object' | 'any';

/** An action that needs somebody's approval. Its class follows from what is asked for and is never chosen. */
export interface ActionKind {
  /** `payload.action`. */
  readonly action: string;
  risk(payload: JsonObject): RiskClass;
  /** Members of the payload besides `action`. */
  readonly members: Readonly<Record<string, MemberForm>>;
  /** Members that are a person's content where `subject` names one. */
  readonly personal?: readonly string[];
  /** Normal form of the person whose content the payload holds. */
  subject?(payload: JsonObject): string | null;
}

/** `payload.action`, and `payload.kind`, of what the Negotiation Room brings before people. */
export const HITL = 'hitl';
/** `payload.action` of a person's review of a job or an artifact. */
export const HUMAN_REVIEW_ACTION = 'human_review';

const low = (): RiskClass => 'low';
const high = (): RiskClass => 'high';

/**
 * The governed actions that need nothing but the catalogue's word for their class (spec/decisions.md, "Governance").
 * Those on memory stand with their executors.
 */
export const ACTION_KINDS: readonly ActionKind[] = [
  { action: 'maintenance', risk: low, members: { what: 'text' } },
  { action: 'module_register', risk: riskOfModule, members: { module: 'object' } },
  { action: 'module_quarantine', risk: high, members: { node_id: 'text', 'reason?': 'text' } },
  { action: 'module_release', risk: high, members: { node_id: 'text', 'reason?': 'text' } },
  { action: 'module_policy', risk: high, members: { node_id: 'text', policy: 'object' } },
  { action: 'agent_endpoint', risk: high, members: { node_id: 'text', 'endpoint?': 'object', 'prompt?': 'object' } },
  { action: 'trust_override', risk: high, members: { node_id: 'text', new_apt: 'number', reason: 'text' } },
  { action: 'policy_change', risk: high, members: { policy: 'text', change: 'object', 'base_snapshot_id?': 'text' } },
  { action: 'force_halt_clear', risk: high, members: { snapshot_id: 'text', 'halt_event_id?': 'text' } },
  {
    action: 'force_continue',
    risk: high,
    members: {
      replay_id: 'text',
      job_id: 'text',
      event_number: 'number',
      event_type: 'text',
      divergence_digest: 'text',
    },
  },
  { action: 'production_replay', risk: high, members: { job_id: 'text' } },
  { action: HITL, risk: high, members: { kind: 'text', artifact_id: 'text', reason_type: 'text' } },
  {
    action: HUMAN_REVIEW_ACTION,
    risk: high,
    members: { 'job_id?': 'text', 'artifact_id?': 'text', reason_type: 'text' },
  },
];

/** What is asked for is the word itself of whoever decides: there is nothing to be done after it. */
export const RULINGS: readonly string[] = ['maintenance'];

/**
 * What the council must have said itself (spec/replay.md, seed 002 sections 2, 7 and 10): replay is stopped or held so that
 * nobody decides past it.
 */
const COUNCIL_ITSELF: readonly string[] = ['force_halt_clear', 'force_continue', 'production_replay'];

/** @throws MaceError CONFLICT for an action that takes the council's own word */
export function refuseEmergency(action: string): void {
  if (!COUNCIL_ITSELF.includes(action)) return;
  throw new MaceError(
    'CONFLICT',
    `${action} takes the council’s own word, and no emergency stands in for it: its members vote`,
  );
}

const MAX_TEXT = 512;
const ALLOWED: Readonly<Record<MemberForm, string>> = {
  text: `a text of 1 to ${MAX_TEXT} characters`,
  number: 'a finite number',
  object: 'an object',
  any: 'any JSON but null',
};

/** @throws MaceError INVALID_INPUT naming the member and its allowed form */
export function checkPayload(kind: ActionKind, payload: JsonObject): void {
  const forms = new Map(Object.entries(kind.members).map(([name, form]) => [name.replace('?', ''), form]));
  for (const name of Object.keys(payload)) {
    if (name === 'action' || forms.has(name)) continue;
    refuse(`payload: unknown member ${shownName(name)}; ${kind.action} takes ${[...forms.keys()].join(', ')}`);
  }
  for (const [name, form] of Object.entries(kind.members)) {
    const plain = name.replace('?', '');
    const value = payload[plain];
    if (value === undefined && name.endsWith('?')) continue;
    if (!hasForm(value, form)) refuse(`payload.${plain}: ${ALLOWED[form]}`);
  }
}

function hasForm(value: unknown, form: MemberForm): boolean {
  if (form === 'text') return typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT;
  if (form === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (form === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return value !== undefined && value !== null;
}

/** A module that may write memory is the council's affair; so is one whose policy does not say. */
function riskOfModule(payload: JsonObject): RiskClass {
  const { policy, endpoint, prompt } = payload['module'] as {
    policy?: { allowed_actions?: unknown; forbidden_actions?: unknown };
    endpoint?: unknown;
    prompt?: unknown;
  };
  // What people ask leaves the process.
  if (endpoint !== undefined || prompt !== undefined) return 'high';
  const { allowed_actions: allowed, forbidden_actions: forbidden } = policy ?? {};
  if (Array.isArray(forbidden) && forbidden.includes('sem.write')) return 'low';
  // An empty list allows everything that is not forbidden.
  return Array.isArray(allowed) && allowed.length > 0 && !allowed.includes('sem.write') ? 'low' : 'high';
}

function refuse(message: string): never {
  throw new MaceError('INVALID_INPUT', message);
}
