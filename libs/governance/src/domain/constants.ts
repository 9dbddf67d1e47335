import type { JsonObject } from '#lib/kernel';

/** The constants of governance, from the governance snapshot and nowhere else (spec/decisions.md, "Governance"). */
export interface GovernanceConstants {
  /** Approvals and rejections that decide a request; abstentions do not count (COUNCIL_QUORUM). */
  readonly council_quorum: number;
  /** How long the council may vote, in milliseconds (VOTE_WINDOW). */
  readonly vote_window_ms: number;
  /** How long one admin may take, in milliseconds (ACTIONREQUEST_TIMEOUT). */
  readonly actionrequest_timeout_ms: number;
  /** Within which the council reviews an emergency, in milliseconds (EMERGENCY_REVIEW_WINDOW). */
  readonly emergency_review_window_ms: number;
  /** The council by name; absent where every holder of the role council is a member. */
  readonly council_members?: readonly string[];
}

const HOUR_MS = 3_600_000;

/** What a governance snapshot of an earlier release, which holds none of them, means. */
export const GOVERNANCE_DEFAULTS: GovernanceConstants = {
  council_quorum: 3,
  vote_window_ms: 24 * HOUR_MS,
  actionrequest_timeout_ms: 72 * HOUR_MS,
  emergency_review_window_ms: 24 * HOUR_MS,
};

export function governanceConstants(body: JsonObject): GovernanceConstants {
  return { ...GOVERNANCE_DEFAULTS, ...(body as unknown as Partial<GovernanceConstants>) };
}
