import type { Principal } from '#lib/access';
import type { Actor, IfMatch, Provenance } from '#lib/kernel';

import type { Content } from './domain/content.js';
import type { PiiFlagged, UsedConsent } from './domain/sem.events.js';
import type { WriteRef } from './domain/sem.js';

/** What a write of either kind says of itself. */
export interface WriteRequest {
  readonly key: string;
  readonly principal: Principal;
  /** Who numbers the event. The actor is the principal in the role it writes under, unless one is given. */
  readonly provenance: Omit<Provenance, 'actor'> & { readonly actor?: Actor };
  /** Real time at the edge, milliseconds since the Unix epoch. */
  readonly now: number;
  /** Revision of the stream's newest event that the caller knows. */
  readonly ifMatch?: IfMatch;
  /**
   * Where this write may stand already: nowhere, within IDEMPOTENCY_WINDOW, or from a revision of the key's stream on
   * (a job that runs again after a crash).
   */
  readonly repeats: 'never' | 'window' | { readonly fromRevision: number };
  /** Asked together with the look for an earlier try: throws where that try's traces forbid this one. */
  readonly refuseRepeat?: () => Promise<void>;
}

export interface PutRequest extends WriteRequest, Content {
  /** The principal's own where absent. */
  readonly source?: string;
  /** ISO 8601 UTC; the server's time where absent. */
  readonly timestamp?: string;
  /** The council has approved what these consents of the key's owner allow; they are looked up once more. */
  readonly approved?: readonly UsedConsent[];
}

/** What became of a write; a fault of its input or of its caller's rights is thrown instead. */
export type WriteOutcome =
  /** `attempts` is 2 where a fault of the store made one retry necessary. */
  | { readonly outcome: 'written'; readonly write: WriteRef; readonly attempts: number }
  | {
      readonly outcome: 'failed';
      readonly error_code: 'SEM_WRITE_FAIL' | 'STORAGE_FULL';
      readonly attempts: number;
      /** Name of the fault. */
      readonly fault: string;
      /** The limit that is reached, in words, where that is the fault. */
      readonly limit?: string;
    }
  | { readonly outcome: 'blocked'; readonly flagged: PiiFlagged }
  /** The council decides on it. */
  | { readonly outcome: 'pending'; readonly request_id: string; readonly consents: readonly UsedConsent[] };
