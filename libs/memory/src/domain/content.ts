import {
  canonicalize,
  CanonicalJsonError,
  firstInexactNumber,
  MAX_DEPTH,
  MaceError,
  type Json,
  type JsonObject,
} from '#lib/kernel';

/** Limits of one record (spec/memory.md, "SEM"); text counts in UTF-16 units. */
export const MAX_TEXT = 16_000;
export const MAX_VALUE_BYTES = 16_384;
export const MAX_NOTES = 512;
export const MAX_RECORD_BYTES = 1_048_576;

/** What a caller asks to have stored; `notes` and `meta` may be left out. */
export interface Content {
  readonly value: Json;
  readonly notes?: string;
  readonly meta?: JsonObject;
}

/** Members of `meta` that have a form (seed 001, SEM sections 2, 6 and 14); the others are the caller's. */
const META_HOOKS = {
  /** Trust in who wrote it. */
  trust: 'a number from 0 to 1, or null',
  /** What it came from: a job's write names its job, whose ReflectiveLog has no id yet. */
  provenance_id: 'the log_id of a ReflectiveLog, an amendment_id, or the job_id of a job that has one',
  /** Where the whole lies that is too large for a value; nothing here fetches it. */
  artifact_url: 'a URL of scheme https, at most 2048 characters, without user and password',
} as const;

const PROVENANCE_ID = /^(?:[0-9a-f]{64}|am-[0-9a-f]{32}|job:[0-9a-f]{32})$/;
const MAX_URL = 2048;
const LARGER = 'keep a larger artifact elsewhere and name it in meta.artifact_url';

/** A field of these names would read as an encrypted or an erased one. */
const RESERVED = new Set(['$enc', '$erased']);

/**
 * The limits that can be checked without repeating anything of the content in an error, so that they may be checked
 * before it is known whether the content is fit to be repeated.
 * @throws MaceError INVALID_INPUT
 */
export function refuseOversize({ value, notes, meta }: Content): void {
  if (value === null || value === undefined) refuse('value: missing; null is not a value');
  if (notes !== undefined && notes.length > MAX_NOTES)
    refuse(`notes: ${notes.length} characters; allowed: ${MAX_NOTES}`);
  if (meta !== undefined && (typeof meta !== 'object' || meta === null || Array.isArray(meta)))
    refuse('meta: an object');
  measure('value', value, 0);
  if (meta !== undefined) measure('meta', meta, 0);
}

/**
 * Everything else that keeps content from being stored unaltered; the errors name the place.
 * @throws MaceError INVALID_INPUT
 */
export function refuseUnfit(content: Content): void {
  const bytes = Buffer.byteLength(canonical('value', content.value));
  if (bytes > MAX_VALUE_BYTES)
    refuse(`value: ${bytes} bytes of canonical JSON; allowed: ${MAX_VALUE_BYTES}; ${LARGER}`);
  const others =
    Buffer.byteLength(canonical('notes', content.notes ?? '')) +
    Buffer.byteLength(canonical('meta', content.meta ?? {}));
  if (bytes + others > MAX_RECORD_BYTES) refuse(`the record: ${bytes + others} bytes; allowed: ${MAX_RECORD_BYTES}`);
  for (const field of ['value', 'meta'] as const) {
    const inexact = firstInexactNumber(content[field]);
    if (inexact !== null) refuse(`${field}${inexact}: a number with more than 9 decimals; send it as text`);
  }
  for (const [name, form] of Object.entries(META_HOOKS)) {
    const value = content.meta && Object.hasOwn(content.meta, name) ? content.meta[name] : undefined;
    if (value !== undefined && !FITS[name as keyof typeof META_HOOKS](value)) refuse(`meta.${name}: ${form}`);
  }
}

const FITS: Readonly<Record<keyof typeof META_HOOKS, (value: Json) => boolean>> = {
  trust: (value) => value === null || (typeof value === 'number' && value >= 0 && value <= 1),
  provenance_id: (value) => typeof value === 'string' && PROVENANCE_ID.test(value),
  artifact_url: (value) => typeof value === 'string' && value.length <= MAX_URL && isPlainHttps(value),
};

function isPlainHttps(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && username === '' && password === '';
}

function canonical(field: string, value: unknown): string {
  try {
    return canonicalize(value);
  } catch (error) {
    if (error instanceof CanonicalJsonError) refuse(`${field}${error.pointer}: ${error.reason}`);
    throw error;
  }
}

function measure(field: string, value: unknown, depth: number): void {
  if (typeof value === 'string' && field === 'value' && value.length > MAX_TEXT) {
    refuse(`value: a text of ${value.length} characters; allowed: ${MAX_TEXT}; ${LARGER}`);
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) refuse(`${field}: deeper than ${MAX_DEPTH} levels`);
  for (const key of Object.keys(value)) {
    if (RESERVED.has(key)) refuse(`${field}: the name "${key}" is reserved`);
    measure(field, (value as Record<string, unknown>)[key], depth + 1);
  }
}

function refuse(message: string): never {
  throw new MaceError('INVALID_INPUT', message);
}
