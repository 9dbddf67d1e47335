import type { JsonObject } from '#lib/kernel';

import type { NegotiationPolicy } from './domain/decision.js';
import type { WindowTable } from './domain/window.js';

/** What negotiations need of others, handed in where the process is put together. */

/** Who calls: the token's subject in the caller's spelling, and its normal form. */
export interface Caller {
  /** Raw id, as it stands in the token: what producer_id and critic_id must be. */
  readonly rawId: string;
  /** Normal form. */
  readonly principal: string;
  /** In which role. @throws MaceError PERMISSION_DENIED in none that may call what is called */
  readonly role: string;
  /** Reads what is others': operator, auditor, admin. */
  readonly seesAll: boolean;
}

/** A call that changes something. */
export interface CallContext {
  readonly caller: Caller;
  /** Seed of the command: the same for a repeated call, otherwise drawn. */
  readonly seed: string;
  readonly traceId: string;
  /** The caller's x-idempotency-key; null where none was given. */
  readonly key: string | null;
  /** The server's time at which the call came in, milliseconds since 1970. */
  readonly now: number;
}

/**
 * Keyed hashes of a decoded message, so that a retry can be told from another message: first the one that is recorded,
 * then those by keys that were rotated since, under which an earlier call may have been recorded.
 */
export type MessageDigest = (message: JsonObject) => readonly [string, ...string[]];

/** Calls back when a window is due; adding one again is no error. */
export interface DueTimes {
  /** @param dueAt ISO 8601 */
  add(artifactId: string, dueAt: string): void;
}

/** What the policy `negotiation` says: never on the wire (spec/negotiation-room.md, "As the answer council's outside critics"). */
export interface NegotiationRules {
  readonly policy: NegotiationPolicy;
  readonly windows: WindowTable;
}
