/** When votes are collected (spec/negotiation-room.md "The window"). All times are milliseconds since 1970. */

export type ArtifactType = 'ARTIFACT_TYPE_UNSPECIFIED' | 'REQUIREMENTS' | 'PLAN' | 'CODE' | 'DEPLOYMENT';

/** Seconds by artifact type; the default where a type is not named. */
export interface WindowTable {
  readonly default_s: number;
  readonly by_type: Partial<Readonly<Record<ArtifactType, number>>>;
}

/** The recommended windows of SW4-001 section 2. */
export const WINDOW_DEFAULTS: WindowTable = {
  default_s: 300,
  by_type: { REQUIREMENTS: 600, PLAN: 600, CODE: 300, DEPLOYMENT: 180 },
};

/** The longest delay that a timer of Node holds. */
export const MAX_TIMER_MS = 2_147_483_647;

/** @param requested_s as proposed; 0 means that nothing was asked for */
export function windowSeconds(requested_s: number, type: ArtifactType, table: WindowTable = WINDOW_DEFAULTS): number {
  return requested_s > 0 ? requested_s : (table.by_type[type] ?? table.default_s);
}

/** Follows from the recorded receive time and nothing else. */
export function dueAt(received_at: number, window_s: number): number {
  return received_at + window_s * 1000;
}

export interface WindowState {
  readonly requested_critics: readonly string[];
  /** Critics whose votes were counted. */
  readonly voters: ReadonlySet<string>;
  readonly due_at: number;
}

/** Complete once every requested critic voted, at whatever time that is found; overdue from the due time on. */
export type WindowStatus = 'open' | 'complete' | 'overdue';

export function windowStatus({ requested_critics, voters, due_at }: WindowState, now: number): WindowStatus {
  if (requested_critics.every((critic) => voters.has(critic))) return 'complete';
  return now >= due_at ? 'overdue' : 'open';
}

/** How long to sleep before looking again: never longer than a timer holds, so that far windows are slept in pieces. */
export function timerDelay(due_at: number, now: number): number {
  return Math.min(Math.max(0, due_at - now), MAX_TIMER_MS);
}
