import type { DomainEvent, EventDefinition, Json, JsonObject } from '#lib/kernel';

/** One value of a policy before and after a change. */
export type PolicyDifference = {
  /** RFC 6901. */
  readonly pointer: string;
  /** Null where there was none. */
  readonly from: Json;
  /** Null where there is none any more. */
  readonly to: Json;
};

/** In `policy-{name}`: from here on another snapshot is in force. */
export interface PolicyChanged {
  readonly policy: string;
  /** Null for the first. */
  readonly from_snapshot_id: string | null;
  readonly snapshot_id: string;
  /** Old and new values, in order of their pointers; empty for the first. */
  readonly changed: readonly PolicyDifference[];
  /** A changed file, found at a start; or an approved request. */
  readonly cause: 'file' | 'request';
  /** sha256 of the canonical body of the file that was last seen, so that only a further change of it counts. */
  readonly file_hash: string | null;
  readonly request_id?: string;
  readonly changed_at: string;
}

export const policyEvents: readonly EventDefinition[] = [
  {
    type: 'POLICY_CHANGED',
    version: 1,
    plain: ['policy', 'from_snapshot_id', 'snapshot_id', 'changed', 'cause', 'file_hash', 'request_id', 'changed_at'],
  },
];

export function policyChanged(data: PolicyChanged): DomainEvent {
  return { type: 'POLICY_CHANGED', data: data as unknown as JsonObject };
}

export function policyStream(name: string): string {
  return `policy-${name}`;
}
