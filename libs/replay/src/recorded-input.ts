import { personOf } from '#lib/access';
import { type EventLog, isErased } from '#lib/event-store';
import { SNAPSHOT_KINDS } from '#lib/governance';
import { isReleasedBefore } from '#lib/history';
import type { JobAccepted, PiiFinding, StoredJob } from '#lib/jobs';
import { type Json, seedEpochMs, sha256Hex, traceId } from '#lib/kernel';

import type { StepList } from './step-list.js';

/**
 * What a job was given is taken from its record, so that comparing it with what the engine computes would compare it with
 * itself: it is held to its own form, to who asked, and to the envelopes of the record (spec/kernel.md, "Ids").
 */

type Form = (value: Json) => boolean;

const isText: Form = (value) => typeof value === 'string';
const isFlag: Form = (value) => typeof value === 'boolean';
const isNumber: Form = (value) => typeof value === 'number';
const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isList =
  (each: Form): Form =>
  (value) =>
    Array.isArray(value) && value.every(each);
const matches =
  (form: RegExp): Form =>
  (value) =>
    typeof value === 'string' && form.test(value);
const hasTexts =
  (names: readonly (keyof PiiFinding)[]): Form =>
  (value) =>
    isObject(value) && Object.keys(value).length === names.length && names.every((name) => isText(value[name] ?? null));
const isAskedBy: Form = (value) =>
  isObject(value) &&
  isText(value['id'] ?? null) &&
  isList(matches(/^(?:user|agent|admin)$/))(value['roles'] ?? null) &&
  isFlag(value['elevated'] ?? null) &&
  Object.keys(value).length === 3;
const orErased =
  (form: Form): Form =>
  (value) =>
    isErased(value) || form(value);

/** The name of what need not be there ends in `?`. */
const ACCEPTED: Readonly<Record<string, Form>> = {
  job_id: isText,
  query_id: isText,
  user_id: isText,
  source: matches(/^(?:user_request|api|system)$/),
  created_at: matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  priority: isNumber,
  persist_agent_outputs: isFlag,
  pii_findings: isList(hasTexts(['pii_type', 'category', 'pii_hash'])),
  blocked: isFlag,
  'consent_ids?': isList(isText),
  query_text: orErased(isText),
  query_text_hash: orErased(matches(/^[0-9a-f]{64}$/)),
  context_tags: orErased((value) => isObject(value) && Object.values(value).every(isText)),
  'asked_by?': isAskedBy,
};

const PINNED: Readonly<Record<string, Form>> = {
  engine_version: (value) => Number.isInteger(value) && Number(value) > 0,
  system_version: matches(/^mace-\d+\.\d+\.\d+[0-9A-Za-z.+-]{0,64}$/),
  detector_version: matches(/^\d{1,9}$/),
  snapshots: (value) =>
    isObject(value) &&
    Object.keys(value).length === SNAPSHOT_KINDS.length &&
    SNAPSHOT_KINDS.every((kind) => matches(/^[0-9a-f]{64}$/)(value[kind] ?? null)),
};

/** Tells a failed step where an input of the record is of a form that no job is given, or contradicts itself. */
export function checkInput({ history: { events } }: StoredJob, list: StepList): void {
  const [accepted, pinned] = events;
  const fault =
    formFault('JOB_ACCEPTED', accepted!.data, ACCEPTED) ??
    contradiction(accepted!.data as unknown as JobAccepted) ??
    (pinned?.type === 'SNAPSHOTS_PINNED' ? formFault('SNAPSHOTS_PINNED', pinned.data, PINNED) : null);
  if (fault !== null) list.failed('request and pinned snapshots', fault);
}

/** Tells a failed step where a job says that it ran on a release that the log does not record before it. @throws IntegrityError */
export async function checkRelease(log: EventLog, { events }: StoredJob, list: StepList): Promise<void> {
  const pinned = events[1];
  if (pinned?.type !== 'SNAPSHOTS_PINNED') return;
  if (await isReleasedBefore(log, pinned.data['system_version'] as string, pinned.position)) return;
  const fault = '/data/system_version of SNAPSHOTS_PINNED is no release that system-releases records before it';
  list.failed('request and pinned snapshots', fault);
}

function formFault(
  type: string,
  data: Readonly<Record<string, Json>>,
  forms: Readonly<Record<string, Form>>,
): string | null {
  const known = new Set(Object.keys(forms).map((name) => name.replace('?', '')));
  const strange = Object.keys(data).find((name) => !known.has(name));
  if (strange !== undefined) return `${type} holds a member that no job records`;
  for (const [name, form] of Object.entries(forms)) {
    const plain = name.replace('?', '');
    const value = data[plain];
    if (value === undefined && name.endsWith('?')) continue;
    if (value === undefined || !form(value)) return `/data/${plain} of ${type} is of a form that no job records`;
  }
  return null;
}

/** What blocks is found, and blocks unless its owner consented; the question is the one that its hash names. */
function contradiction({
  blocked,
  pii_findings,
  consent_ids,
  query_text,
  query_text_hash,
}: JobAccepted): string | null {
  const isFound = pii_findings.length > 0;
  if (blocked !== (isFound && consent_ids === undefined) || (consent_ids !== undefined && !isFound)) {
    return '/data/blocked of JOB_ACCEPTED does not follow from what was found and consented to';
  }
  if (isErased(query_text) || isErased(query_text_hash) || sha256Hex(query_text) === query_text_hash) return null;
  return '/data/query_text_hash of JOB_ACCEPTED is not that of its query_text';
}

/**
 * The first event whose envelope is not the one that its job's run gave it, in words: every event names the job, its seed
 * and trace, who asked, its seeded time, and the event before it as its cause. Null where each does.
 */
export function envelopeFault({ events, origin, history }: StoredJob): string | null {
  const { job_id, user_id, asked_by } = history.events[0]!.data as unknown as JobAccepted;
  const { job_seed, actor } = origin;
  const isTheirs = asked_by ? actor.id === asked_by.id : personOf(actor) === user_id;
  if (!isTheirs) return 'event 0 (JOB_ACCEPTED): actor is not who asked';
  // Who asks does so in the first of their roles that may (PERMISSIONS, jobs.create); whoever asks for themself says which.
  const mayAsk = asked_by ? [asked_by.roles[0]] : ['user', 'admin'];
  if (!mayAsk.includes(actor.role as 'user')) return 'event 0 (JOB_ACCEPTED): actor has no role of who asked';
  const trace = traceId(job_seed);
  const epoch = seedEpochMs(job_seed);
  let before = -1;
  let cause: string | undefined;
  for (const [i, { type, metadata }] of events.entries()) {
    const wrong =
      (metadata.job_seed !== job_seed && 'job_seed') ||
      (metadata.job_id !== job_id && 'job_id') ||
      ((metadata.trace_id !== trace || metadata.$correlationId !== trace) && 'trace_id') ||
      ((metadata.actor.id !== actor.id || metadata.actor.role !== actor.role) && 'actor') ||
      (!(metadata.sequence_index > before) && 'sequence_index') ||
      (metadata.timestamp_seeded !== new Date(epoch + metadata.sequence_index).toISOString() && 'timestamp_seeded') ||
      (metadata.$causationId !== cause && '$causationId') ||
      (i > 0 && metadata.request_digest !== undefined && 'request_digest');
    if (wrong !== false) return `event ${i} (${type}): ${wrong} is not what the job's run gives it`;
    before = metadata.sequence_index;
    cause = metadata.event_id;
  }
  return null;
}
