import { type JsonObject } from '#lib/kernel';
import { type PoisonEventError } from './errors.js';

/**
 * starting: not yet owner. standby: another process owns it, this one waits to take over. catching_up: working through what was there. live: each new event at once. halted: at a
 * poison event, until `resume`; persisted. stopped: by request, or by an error that no retry can heal.
 */
export type ProjectionState = 'starting' | 'standby' | 'catching_up' | 'live' | 'halted' | 'stopped';

export interface PoisonReport {
  readonly kind: 'poison';
  readonly event_id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly message: string;
  /** ISO 8601, wall clock; in the other kinds too. */
  readonly since: string;
}

export type ProjectionError =
  | PoisonReport
  /** A store did not answer; tried again with growing pauses. The state stays what it was. */
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

export function poisonReport({ event, reason }: PoisonEventError, since: string): PoisonReport {
  const { id, type, stream, revision, position } = event;
  return { kind: 'poison', event_id: id, type, stream, revision, position, message: reason, since };
}

/** How a halt is kept in the read store, beside the checkpoint it stands at. */
export function haltedState(error: PoisonReport): JsonObject {
  return { state: 'halted', error: { ...error } };
}

/** The reason of a kept halt; null where there is none. */
export function haltReason(kept: JsonObject | null): PoisonReport | null {
  return kept?.state === 'halted' ? (kept.error as unknown as PoisonReport) : null;
}
