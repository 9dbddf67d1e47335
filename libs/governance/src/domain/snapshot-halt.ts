import type { DomainEvent, EventDefinition } from '#lib/kernel';

/** In `snapshot-{snapshot_id}`: no job that pins it replays or starts, until an admin has verified it and the council agreed. */
export interface ForceHaltReplay {
  readonly snapshot_id: string;
  /** The INTEGRITY_FAILURE that says why. */
  readonly cause_event_id: string;
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

export const INTEGRITY_FAILURE = 'INTEGRITY_FAILURE';
const HALT = 'FORCE_HALT_REPLAY';
const CLEAR = 'FORCE_HALT_CLEAR';

export const snapshotHaltEvents: readonly EventDefinition[] = [
  { type: HALT, version: 1, plain: ['snapshot_id', 'cause_event_id'] },
];

/** Why a snapshot is halted, by the events of its stream in their order; null where it is not. */
export function haltIn(events: readonly DomainEvent[]): ForceHaltReplay | null {
  const last = events.findLast(({ type }) => type === HALT || type === CLEAR);
  return last?.type === HALT ? (last.data as unknown as ForceHaltReplay) : null;
}

/** The failure, and the flag that follows from it. @param failureId event_id that the failure will have */
export function haltFor(fault: SnapshotFault, failureId: string): readonly DomainEvent[] {
  const { snapshot_id, ...found } = fault;
  const halt: ForceHaltReplay = { snapshot_id, cause_event_id: failureId };
  return [
    { type: INTEGRITY_FAILURE, data: found },
    { type: HALT, data: { ...halt } },
  ];
}
