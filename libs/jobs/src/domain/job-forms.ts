import { type DomainEvent, type Json, MaceError } from '#lib/kernel';

import { jobEvents } from './jobs.events.js';

/** Forms of what readers of a job look into; who holds the keys can sign a record of any form. */
type Form = (value: Json | undefined) => boolean;

const isText: Form = (value) => typeof value === 'string';
const isObject = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf =
  (each: Form): Form =>
  (value) =>
    Array.isArray(value) && value.every(each);
const orAbsent =
  (form: Form): Form =>
  (value) =>
    value === undefined || form(value);
const texts = listOf(isText);
const objects = listOf(isObject);
const textsByName: Form = (value) => isObject(value) && Object.values(value).every(isText);
const isEvidence: Form = (value) => isObject(value) && isText(value['key']) && orAbsent(texts)(value['consents']);
const isEnvelope: Form = (value) =>
  isObject(value) && isText(value['error_code']) && isText(value['developer_message']) && isObject(value['meta']);
const isTrace: Form = (value) =>
  isObject(value) && orAbsent(objects)(value['candidates']) && orAbsent(objects)(value['excluded']);

const FORMS: Readonly<Record<string, Readonly<Record<string, Form>>>> = {
  JOB_ACCEPTED: { user_id: isText, pii_findings: objects, consent_ids: orAbsent(texts), query_text: isText },
  SNAPSHOTS_PINNED: {
    engine_version: Number.isInteger,
    system_version: isText,
    detector_version: isText,
    snapshots: textsByName,
  },
  QCP_CLASSIFIED: { intent_tags: texts, features: isObject },
  ROUTER_DECISION: { excluded: texts, route_trace: isTrace },
  AGENT_OUTPUT: {
    text: isText,
    reasoning_trace: texts,
    evidence: listOf(isEvidence),
    failures: orAbsent(objects),
    output_hash: orAbsent(isText),
    call: orAbsent(isObject),
  },
  AGENT_TIMEOUT: { call: orAbsent(isObject) },
  AGENT_EXCEPTION: { call: orAbsent(isObject) },
  LLM_SERVICE_DOWN: { attempts: objects, call: orAbsent(isObject) },
  OUTSIDE_CRITICS_ASKED: { artifact_id: isText, critics: texts },
  COUNCIL_VOTE: { scores: isObject },
  COUNCIL_DECISION: { votes: texts, unavailable_critics: orAbsent(texts) },
  REFLECTIVE_LOG_WRITTEN: {
    log_id: isText,
    agents_invoked: texts,
    snapshots: textsByName,
    iteration_trace: objects,
    event_refs: texts,
    missing_artifacts: texts,
    agent_outputs: objects,
    council_votes: objects,
    final_answer: (value) => value === null || isText(value),
    notices: listOf(isEnvelope),
    error: (value) => value === null || isEnvelope(value),
  },
};

/** A record whose events are signed and chained, and of which one has a form that no job writes. */
export class JobFormError extends MaceError {
  constructor(
    stream: string,
    readonly revision: number,
    /** In words without content. */
    readonly reason: string,
    pointer: string,
  ) {
    super('INTEGRITY_FAILURE', `stream ${stream}, revision ${revision}: ${reason}`, { stream, revision, pointer });
    this.name = 'JobFormError';
  }
}

/**
 * @param events of one job from its first on, in plain or as stored: of what is encrypted or erased nothing is said
 * @throws JobFormError naming the first place where an event has a form that no job writes
 */
export function checkJobForms(stream: string, events: readonly DomainEvent[]): void {
  for (const [revision, { type, data }] of events.entries()) checkJobForm({ stream, revision, type, data });
}

/** The same of events as stored: of what is personal, and so encrypted, nothing is said. @throws JobFormError */
export function checkStoredForms(stream: string, events: readonly DomainEvent[]): void {
  for (const [revision, { type, data }] of events.entries()) check({ stream, revision, type, data }, isPersonal);
}

/** The same of one event as stored. @throws JobFormError */
export function checkStoredForm(event: Placed): void {
  check(event, isPersonal);
}

/** @param event in plain @throws JobFormError */
export function checkJobForm(event: Placed): void {
  check(event, (type, field) => isPersonal(type, field) && isHidden(event.data[field]));
}

function check({ stream, revision, type, data }: Placed, isPassedOver: (type: string, field: string) => boolean): void {
  const forms = Object.hasOwn(FORMS, type) ? FORMS[type]! : {};
  for (const [field, hasForm] of Object.entries(forms)) {
    if (isPassedOver(type, field) || hasForm(data[field])) continue;
    const pointer = `/data/${field}`;
    throw new JobFormError(stream, revision, `${pointer} of ${type} is of a form that no job writes`, pointer);
  }
}

interface Placed extends DomainEvent {
  readonly stream: string;
  readonly revision: number;
}

const PERSONAL = new Map(jobEvents.map(({ type, personal = [] }) => [type, new Set(personal)]));

function isPersonal(type: string, field: string): boolean {
  return PERSONAL.get(type)?.has(field) ?? false;
}

/** What a personal field may be in place of what was said: encrypted, or erased. */
function isHidden(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  return names.length === 1 && (names[0] === '$enc' || names[0] === '$erased');
}
