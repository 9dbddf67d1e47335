import { canonicalize, sha256Hex, type Json, type JsonObject } from '#lib/kernel';

import { differences, type ValueDifference } from './diff.js';

/** An event as a replay compares it. */
export interface ReplayedEvent {
  readonly type: string;
  readonly data: JsonObject;
  readonly sequenceIndex: number;
}

/** One link of the chain of causes; `hash` is the sha256 of the event as it is compared. */
export interface Cause {
  /** Index in the stream. */
  readonly event_number: number;
  readonly event_type: string;
  /** Null where it would tell of a person's content to somebody else. */
  readonly hash: string | null;
}

/** A place where the rerun and the record part: the same object wherever it is told. */
export interface Divergence {
  readonly error_code: 'REPLAY_DIVERGENCE' | 'RESULT_MISMATCH';
  /** Where the recorded event stands. */
  readonly stream: string;
  readonly event_number: number;
  readonly event_type: string;
  /** JSON pointer of the first difference, RFC 6901. */
  readonly pointer: string;
  /** Canonical values there; null where a side has nothing there. */
  readonly recorded: string | null;
  readonly computed: string | null;
  /** sha256 of each. */
  readonly recorded_hash: string | null;
  readonly computed_hash: string | null;
  /** Pointers in order; at most MAX_DIFFERENCES of them. */
  readonly differences: readonly ValueDifference[];
  readonly differences_total: number;
  /** The two events as they are compared, canonical; null where there is none, or it is over MAX_EVENT_TEXT. */
  readonly recorded_event: string | null;
  readonly computed_event: string | null;
  /** From the event back to the first of its stream. */
  readonly causes: { readonly recorded: readonly Cause[]; readonly computed: readonly Cause[] };
  /** Name of the error by which the engine ended, fed with what the record says; null where it did not. */
  readonly fault: string | null;
}

export const MAX_DIFFERENCES = 64;
/** In UTF-16 units. */
export const MAX_EVENT_TEXT = 65_536;

/** What one side has: its events up to the divergence, and of each the index of the event that caused it. */
export interface Side {
  readonly events: readonly ReplayedEvent[];
  /** Null where nothing of this stream did. */
  readonly causeOf: (index: number) => number | null;
}

export interface Place {
  readonly stream: string;
  readonly index: number;
  readonly recorded: ReplayedEvent | null;
  readonly computed: ReplayedEvent | null;
  readonly fault?: string;
}

/** The divergence at a place, told whole. */
export function divergenceAt(place: Place, sides: { readonly recorded: Side; readonly computed: Side }): Divergence {
  const { stream, index, recorded, computed, fault = null } = place;
  const event_type = recorded?.type ?? computed?.type ?? 'none';
  const found = differences(viewOf(recorded), viewOf(computed));
  const first = found[0] ?? { pointer: '', recorded: null, computed: null };
  return {
    error_code: isAnswer(event_type, found) ? 'RESULT_MISMATCH' : 'REPLAY_DIVERGENCE',
    stream,
    event_number: index,
    event_type,
    pointer: first.pointer,
    recorded: first.recorded,
    computed: first.computed,
    recorded_hash: hashOf(first.recorded),
    computed_hash: hashOf(first.computed),
    differences: found.slice(0, MAX_DIFFERENCES),
    differences_total: found.length,
    recorded_event: textOf(recorded),
    computed_event: textOf(computed),
    causes: {
      recorded: recorded ? causesOf(index, sides.recorded) : [],
      computed: computed ? causesOf(index, sides.computed) : [],
    },
    fault,
  };
}

/** A chain names each event once, also where a record that was changed names causes in a circle. */
function causesOf(index: number, { events, causeOf }: Side): readonly Cause[] {
  const causes: Cause[] = [];
  const seen = new Set<number>();
  for (let at: number | null = index; at !== null && !seen.has(at); at = causeOf(at)) {
    const event = events[at];
    if (!event) break;
    seen.add(at);
    causes.push({ event_number: at, event_type: event.type, hash: sha256Hex(canonicalize(viewOf(event))) });
  }
  return causes;
}

function isAnswer(eventType: string, found: readonly ValueDifference[]): boolean {
  return (
    eventType === 'REFLECTIVE_LOG_WRITTEN' && found.some(({ pointer }) => pointer.startsWith('/data/final_answer'))
  );
}

function viewOf(event: ReplayedEvent | null): Json | undefined {
  return event ? { type: event.type, sequence_index: event.sequenceIndex, data: event.data } : undefined;
}

function textOf(event: ReplayedEvent | null): string | null {
  const view = viewOf(event);
  const text = view === undefined ? null : canonicalize(view);
  return text !== null && text.length > MAX_EVENT_TEXT ? null : text;
}

function hashOf(text: string | null): string | null {
  return text === null ? null : sha256Hex(text);
}
