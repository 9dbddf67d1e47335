import { type JsonObject } from '#lib/kernel';
import { type HaltedAt } from './domain/parking.js';
import { type ReasonClass } from './domain/parking.events.js';
import { type PoisonEventError } from './errors.js';

/**
 * starting: not yet owner. standby: another process owns it, this one waits to take over. catching_up: working through
 * what was there. live: each new event at once. retrying: a store did not answer, or an event cannot be taken; tried again
 * with growing pauses. halted: at a poison event, until something is decided about it; persisted. stopped: by request, or
 * by an error that no retry can heal.
 */
export type ProjectionState = 'starting' | 'standby' | 'catching_up' | 'live' | 'retrying' | 'halted' | 'stopped';

export interface PoisonReport {
  readonly kind: 'poison';
  readonly event_id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly reason_class: ReasonClass;
  readonly message: string;
  /** How often it was tried since the last time that one was taken. */
  readonly attempts: number;
  /** ISO 8601, wall clock; in the other kinds too. */
  readonly since: string;
}

export type ProjectionError =
  | PoisonReport
  /** A store did not answer. */
  | { readonly kind: 'fault'; readonly message: string; readonly attempts: number; readonly since: string }
  /** Another owner writes now. */
  | { readonly kind: 'fenced'; readonly message: string; readonly since: string }
  /** A fault of the program, which only another program heals. */
  | { readonly kind: 'definition'; readonly message: string; readonly since: string };

export interface RunnerStatus {
  readonly state: ProjectionState;
  /** The checkpoint as last written or read; null before the first. */
  readonly position: string | null;
  readonly error?: ProjectionError;
}

/** What an owner keeps of its status beside the name of the live generation. */
export type PersistedStatus = Pick<RunnerStatus, 'state' | 'error'>;

export function poisonReport(
  { event, reason, reasonClass }: PoisonEventError,
  attempts: number,
  since: string,
): PoisonReport {
  const { id, type, stream, revision, position } = event;
  const at = { event_id: id, type, stream, revision, position, reason_class: reasonClass };
  return { kind: 'poison', ...at, message: reason, attempts, since };
}

/** A halt as it is kept beside the checkpoint that it stands at. */
export interface Halt {
  readonly report: PoisonReport;
  /** How often the event had been told to be tried again by then. */
  readonly replays: number;
}

/** The members of a generation's runner state that say it; null: that there is none. */
export function keptHalt(halt: Halt | null): JsonObject {
  return halt
    ? { state: 'halted', error: { ...halt.report }, replays: halt.replays }
    : { state: null, error: null, replays: null };
}

/** Null where there is none. */
export function haltIn(kept: JsonObject | null): Halt | null {
  if (kept?.['state'] !== 'halted') return null;
  const { error, replays } = kept;
  return { report: error as unknown as PoisonReport, replays: typeof replays === 'number' ? replays : 0 };
}

export function haltedAt({ report, replays }: Halt): HaltedAt {
  const { position, event_id, type: event_type, reason_class = 'projecting' } = report;
  return { position, event_id, event_type, reason_class, replays };
}
