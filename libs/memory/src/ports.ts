import type { DomainEvent, IfMatch, Json, Provenance } from '#lib/kernel';
import type { ConsentTaker, ConsentUse } from '#lib/privacy';

import type { Content } from './domain/content.js';
import type { UsedConsent } from './domain/sem.events.js';

/** What memory asks of others; each is given by whoever wires it (memory.module.ts). */

export interface PiiFinding {
  readonly type: string;
  readonly category: 'high' | 'medium' | 'low';
  /** The text as sent; for the keyed hash only, recorded nowhere. */
  readonly text: string;
  /** Names the text of the payload that it is in; [start, end) count in that. */
  readonly at: string;
  readonly start: number;
  readonly end: number;
}

export interface PiiDetector {
  readonly version: string;
  /** Every finding in every leaf and name of a payload; fails closed on text over its cap. */
  detect(payload: Json): readonly PiiFinding[];
  /** HMAC-SHA256 under the PII key of value + seed, hex. */
  hash(value: string, seed: string): string;
}

/** People's consents as writes and reads of memory ask for them. */
export interface ConsentLookup {
  /** The id of a consent in force of this person that allows it; null where there is none. */
  covering(userId: string, use: ConsentUse): Promise<string | null>;
  /**
   * Gives consents of a person to the write that stands on them; false where one of them has ended, or went to another
   * write, since it was found.
   */
  use(userId: string, ids: readonly string[], write: ConsentTaker): Promise<boolean>;
  /** Whether what was stored under these consents of a person may still be used. */
  areInForce(userId: string, ids: readonly string[], now: number): Promise<boolean>;
}

export const NO_CONSENTS: ConsentLookup = {
  covering: () => Promise.resolve(null),
  use: (_, ids) => Promise.resolve(ids.length === 0),
  areInForce: (_, ids) => Promise.resolve(ids.length === 0),
};

/** A write of high sensitivity that its owner consented to: the council decides on it. */
export interface HeldWrite {
  readonly key: string;
  readonly owner: string;
  readonly content: Content;
  readonly source: string;
  readonly timestamp?: string;
  readonly ifMatch?: IfMatch;
  readonly consents: readonly UsedConsent[];
  /** The worst type found, as those who vote see it. */
  readonly piiType: string;
  readonly provenance: Provenance;
  readonly now: number;
}

/** Where such writes wait. */
export interface HeldWrites {
  /** The request that an earlier try of this command has made. @throws MaceError IDEMPOTENCY_KEY_REUSED */
  earlier(provenance: Provenance): Promise<string | null>;
  /** Puts the content away and asks the council. @returns the request's id */
  hold(write: HeldWrite): Promise<string>;
}

/** An event that could not be appended because the log itself is out of reach: ids, types and keys, never a value. */
export interface SpooledEvent {
  readonly stream: string;
  readonly event: DomainEvent;
  readonly provenance: Provenance;
}

/** Where such events wait until the log takes appends again (spec/failures.md). */
export interface FailureSpool {
  add(event: SpooledEvent): void;
  readonly waiting: readonly SpooledEvent[];
  /** Hands over, oldest first, until one cannot be appended; rejects then, and keeps that one and the later ones. */
  drain(append: (event: SpooledEvent) => Promise<void>): Promise<void>;
}

/** Waits that many milliseconds; tests give one that does not. */
export type Sleep = (ms: number) => Promise<void>;
