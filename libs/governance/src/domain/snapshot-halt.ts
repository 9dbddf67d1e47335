import type { DomainEvent, EventDefinition, JsonObject } from '#lib/kernel';

/** What puts a halt on snapshots (spec/replay.md). */
export const HALTING_TYPES = ['INTEGRITY_FAILURE', 'SECURITY_INCIDENT'] as const;
export type HaltingType = (typeof HALTING_TYPES)[number];

/** In `snapshot-{snapshot_id}`: no job that pins it replays or starts, until an admin has verified it and the council agreed. */
export interface ForceHaltReplay {
  readonly snapshot_id: string;
  /** The event that says why. */
  readonly cause_event_id: string;
  readonly cause_type: HaltingType;
  /** The stream in which that event stands. */
  readonly cause_stream: string;
  /** Real time, ISO 8601. */
  readonly halted_at: string;
}

/** In the same stream: the snapshot verified again from what is stored, and the council agreed. */
export interface ForceHaltClear {
  readonly snapshot_id: string;
  /** The FORCE_HALT_REPLAY that the council saw when it agreed; one put on later would still stand. */
  readonly halt_event_id: string;
  readonly action_request_id: string;
  /** The admin who asked for it; what is stored was verified then, and again before this event. */
  readonly verified_by: string;
  /** Principals whose votes or signatures approved it. */
  readonly approvals: readonly string[];
  /** Real time, ISO 8601. */
  readonly cleared_at: string;
}

/** A halt with the event that put it on. */
export interface StandingHalt extends ForceHaltReplay {
  readonly halt_event_id: string;
}

/** What is wrong with a snapshot as it is stored. */
export interface SnapshotFault {
  readonly snapshot_id: string;
  readonly stream: string;
  readonly revision: number;
  readonly reason: string;
  /** In which job's replay it showed. */
  readonly job_id?: string;
}

/** An event of a snapshot's stream, as far as halts look at it. */
export interface FlagEvent extends DomainEvent {
  readonly metadata: { readonly event_id: string };
}

export const INTEGRITY_FAILURE = 'INTEGRITY_FAILURE';
export const HALT = 'FORCE_HALT_REPLAY';
export const CLEAR = 'FORCE_HALT_CLEAR';
/** Everything that stands behind a snapshot in its stream. */
export const FLAG_TYPES: readonly string[] = [INTEGRITY_FAILURE, HALT, CLEAR];

export const snapshotHaltEvents: readonly EventDefinition[] = [
  { type: HALT, version: 1, plain: ['snapshot_id', 'cause_event_id', 'cause_type', 'cause_stream', 'halted_at'] },
  {
    type: CLEAR,
    version: 1,
    plain: ['snapshot_id', 'halt_event_id', 'action_request_id', 'verified_by', 'approvals', 'cleared_at'],
  },
];

/** Why a snapshot is halted, by the events of its stream in their order; null where it is not. */
export function haltIn(events: readonly FlagEvent[]): StandingHalt | null {
  const last = events.findLast(({ type }) => type === HALT || type === CLEAR);
  if (last?.type !== HALT) return null;
  return { ...(last.data as unknown as ForceHaltReplay), halt_event_id: last.metadata.event_id };
}

/** The failure of a snapshot's own bytes, and the flag that follows from it. @param failureId event_id that the failure will have */
export function haltFor(fault: SnapshotFault, failureId: string, halted_at: string): readonly DomainEvent[] {
  const { snapshot_id, ...found } = fault;
  const cause = { cause_event_id: failureId, cause_type: INTEGRITY_FAILURE, cause_stream: fault.stream } as const;
  return [{ type: INTEGRITY_FAILURE, data: found }, haltEvent({ snapshot_id, ...cause, halted_at })];
}

/** The flag that follows from an event elsewhere; nothing where that event has put one on before, cleared since or not. */
export function haltBecause(events: readonly DomainEvent[], halt: ForceHaltReplay): readonly DomainEvent[] {
  const isKnown = events.some(({ type, data }) => type === HALT && data['cause_event_id'] === halt.cause_event_id);
  return isKnown ? [] : [haltEvent(halt)];
}

export function clearEvent(clear: ForceHaltClear): DomainEvent {
  return { type: CLEAR, data: { ...clear } };
}

/**
 * Which snapshots an event concerns (docs/decisions/0012): one that it names by its stream; or those that a job pinned,
 * where a person says of that job that something was wrong and nothing finer is known. A check that found a job's own
 * log changed says nothing of the snapshots, which are signed by themselves: that log is quarantined.
 */
export function concerned(
  type: string,
  stream: string,
  data: JsonObject,
): { readonly snapshot: string } | { readonly job: string } | null {
  const { stream: damaged, job_id } = data;
  const isFailure = type === INTEGRITY_FAILURE;
  if (isFailure && typeof damaged === 'string' && SNAPSHOT_STREAM.test(damaged)) {
    return { snapshot: damaged.slice('snapshot-'.length) };
  }
  if (typeof job_id !== 'string') return null;
  return !isFailure || (stream === REPORTS && damaged === undefined) ? { job: job_id } : null;
}

const SNAPSHOT_STREAM = /^snapshot-[0-9a-f]{64}$/;
/** Where an admin's reports stand; a check that found a fault names the stream in which. */
const REPORTS = 'system-integrity';

function haltEvent(halt: ForceHaltReplay): DomainEvent {
  return { type: HALT, data: { ...halt } };
}
