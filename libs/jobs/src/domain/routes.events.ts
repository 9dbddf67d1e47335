import type { DomainEvent, ErrorCode, EventDefinition, JsonObject } from '#lib/kernel';

import type { PiiFinding } from './jobs.events.js';

/** In `route-{id}`: where somebody was told that a query goes, outside any job (seed 001, Router section 7). */
export interface RouteDecided {
  /** 0: the seed's nine rules; 1: as jobs are routed. */
  readonly stage: 0 | 1;
  /** Normal form of who asked; the personal fields are theirs. */
  readonly user_id: string;
  /** The user_id that the request named; null where it named nobody. */
  readonly asked_for: string | null;
  readonly agent_id: string | null;
  readonly route_reason: string | null;
  readonly depth: number;
  readonly token_budget: number | null;
  readonly error_code: ErrorCode | null;
  /** What blocked; empty where nothing did. */
  readonly pii_findings: readonly PiiFinding[];
  readonly route_trace: JsonObject | null;
  /** Ids of the snapshots that were in force, by kind. */
  readonly snapshots: Readonly<Record<string, string>>;
  /** sha256 of the query; of its redacted text where it was blocked. */
  readonly query_hash: string;
  /** Real time at the edge, ISO 8601. */
  readonly decided_at: string;
}

export const routeEvents: readonly EventDefinition[] = [
  {
    type: 'ROUTE_DECIDED',
    version: 1,
    plain: [
      'stage',
      'user_id',
      'agent_id',
      'route_reason',
      'depth',
      'token_budget',
      'error_code',
      'pii_findings',
      'route_trace',
      'snapshots',
      'decided_at',
    ],
    personal: ['asked_for', 'query_hash'],
    subject: ({ user_id }) => user_id as string,
  },
];

export function routeDecided(data: RouteDecided): DomainEvent {
  return { type: 'ROUTE_DECIDED', data: data as unknown as JsonObject };
}
