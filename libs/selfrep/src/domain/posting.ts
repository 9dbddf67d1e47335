import { firstInexactNumber, MaceError, shownName, type JsonObject } from '#lib/kernel';

import { APT_EVENT_TYPES, type AptEventType } from './module.events.js';
import type { Incoming } from './trust.js';

/** What a person or an agent says of a module. */
export interface Posting {
  readonly fields: Partial<Pick<Incoming, 'approve' | 'correct' | 'new_apt' | 'upvote' | 'job_id'>>;
  readonly note?: string;
}

type Check = (value: unknown) => boolean;

interface Form {
  readonly fits: Check;
  readonly form: string;
  readonly required: boolean;
}

const MAX_NOTE = 4000;
const JOB_ID = /^job:[0-9a-f]{32}$/;
const flag = (required: boolean): Form => ({ fits: (v) => typeof v === 'boolean', form: 'true or false', required });
const text = (required: boolean): Form => ({
  fits: (v) => typeof v === 'string' && v.trim() !== '' && v.length <= MAX_NOTE,
  form: `text of 1 to ${MAX_NOTE} characters`,
  required,
});
const job: Form = { fits: (v) => typeof v === 'string' && JOB_ID.test(v), form: JOB_ID.source, required: false };
const trust: Form = {
  fits: (v) => typeof v === 'number' && v >= 0 && v <= 1 && firstInexactNumber(v) === null,
  form: 'a number from 0 to 1 with at most 9 decimals',
  required: true,
};
const outcome: Readonly<Record<string, Form>> = { job_id: job, note: text(false) };

/** The payload of each type; nothing else may stand in it. */
const PAYLOADS: Readonly<Record<AptEventType, Readonly<Record<string, Form>>>> = {
  COUNCIL_APPROVAL: { approve: flag(true), ...outcome },
  GROUND_TRUTH_LABEL: { correct: flag(true), ...outcome },
  AGENT_TIMEOUT: outcome,
  AGENT_EXCEPTION: outcome,
  AGENT_SUCCESS: outcome,
  MANUAL_OVERRIDE: { new_apt: trust, reason: text(true) },
  OPERATIONAL_NOTE: { job_id: job, note: text(true) },
  USER_FEEDBACK: { upvote: flag(false), job_id: job, comment: text(false) },
};

/** @throws MaceError INVALID_INPUT for a type that is none */
export function aptEventType(name: string): AptEventType {
  const type = APT_EVENT_TYPES.find((one) => one === name);
  if (type === undefined) throw new MaceError('INVALID_INPUT', `event_type: one of ${APT_EVENT_TYPES.join(', ')}`);
  return type;
}

/** @throws MaceError INVALID_INPUT that names the field and its allowed form */
export function parsePosting(type: AptEventType, payload: JsonObject): Posting {
  const forms = PAYLOADS[type];
  for (const name of Object.keys(payload)) {
    if (!Object.hasOwn(forms, name))
      throw invalid(shownName(name), `unknown; ${type} takes ${Object.keys(forms).join(', ')}`);
  }
  for (const [name, { fits, form, required }] of Object.entries(forms)) {
    const value = payload[name];
    if (value === undefined ? required : !fits(value)) throw invalid(name, form);
  }
  const { note, reason, comment, ...fields } = payload as Posting['fields'] & Record<string, string | undefined>;
  const words = note ?? reason ?? comment;
  return { fields, ...(words === undefined ? {} : { note: words }) };
}

function invalid(name: string, form: string): MaceError {
  return new MaceError('INVALID_INPUT', `payload.${name}: ${form}`);
}
