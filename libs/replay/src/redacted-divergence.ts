import { jobEvents } from '#lib/jobs';
import { canonicalize, type Json, type JsonObject } from '#lib/kernel';

import type { ValueDifference } from './domain/diff.js';
import type { Cause, Divergence } from './domain/divergence.js';

const REDACTED = '[redacted]';
const REDACTED_TEXT = canonicalize(REDACTED);
const PERSONAL = new Map(jobEvents.map(({ type, personal = [] }) => [type, personal]));
/** The key of a write follows from the question, so that it is told to nobody else either. */
const KEY = 'key';

/**
 * A divergence as those see it who operate and audit but do not own the job: where it differs, and by what where that is
 * no content of a person. A hash would confirm a guess of the content, and is hidden with it.
 */
export function redactedDivergence(divergence: Divergence): Divergence {
  const { recorded_event, computed_event, event_type, pointer, recorded, computed, causes } = divergence;
  const types = [event_type, ...[recorded_event, computed_event].map(typeIn)];
  const isHidden = (at: string): boolean => types.some((type) => holdsPersonal(type, at));
  const hidden = isHidden(pointer);
  return {
    ...divergence,
    recorded: hidden ? textOf(recorded) : recorded,
    computed: hidden ? textOf(computed) : computed,
    recorded_hash: hidden ? null : divergence.recorded_hash,
    computed_hash: hidden ? null : divergence.computed_hash,
    differences: divergence.differences.map((one) => (isHidden(one.pointer) ? withoutValues(one) : one)),
    recorded_event: redactedEvent(recorded_event),
    computed_event: redactedEvent(computed_event),
    causes: { recorded: causes.recorded.map(redactedCause), computed: causes.computed.map(redactedCause) },
  };
}

function withoutValues({ pointer, recorded, computed }: ValueDifference): ValueDifference {
  return { pointer, recorded: textOf(recorded), computed: textOf(computed) };
}

function textOf(value: string | null): string | null {
  return value === null ? null : REDACTED_TEXT;
}

function redactedCause(cause: Cause): Cause {
  return personalOf(cause.event_type).length > 0 ? { ...cause, hash: null } : cause;
}

/** Whether what stands at a pointer is, or holds, or is part of a personal field. */
function holdsPersonal(type: string, pointer: string): boolean {
  const [, part, field] = pointer.split('/');
  if (part !== undefined && part !== '' && part !== 'data') return false;
  const personal = personalOf(type);
  return field === undefined ? personal.length > 0 : field === KEY || personal.includes(field);
}

function personalOf(type: string): readonly string[] {
  return PERSONAL.get(type) ?? [];
}

function typeIn(text: string | null): string {
  return text === null ? '' : ((JSON.parse(text) as JsonObject)['type'] as string);
}

function redactedEvent(text: string | null): string | null {
  if (text === null) return null;
  const event = JSON.parse(text) as { readonly type: string; readonly data: JsonObject };
  const hide = ([name, value]: [string, Json]): [string, Json] =>
    name === KEY || personalOf(event.type).includes(name) ? [name, REDACTED] : [name, value];
  return canonicalize({ ...event, data: Object.fromEntries(Object.entries(event.data).map(hide)) });
}
