import type { DomainEvent, Json, Provenance } from '#lib/kernel';

/** What memory asks of others; each is given by whoever wires it (memory.module.ts). */

export interface PiiFinding {
  readonly type: string;
  readonly category: 'high' | 'medium' | 'low';
  /** The text as sent; for the keyed hash only, recorded nowhere. */
  readonly text: string;
}

export interface PiiDetector {
  readonly version: string;
  /** Every finding in every leaf and name of a payload; fails closed on text over its cap. */
  detect(payload: Json): readonly PiiFinding[];
  /** HMAC-SHA256 under the PII key of value + seed, hex. */
  hash(value: string, seed: string): string;
}

/** What a consent would have to allow. */
export interface ConsentQuestion {
  /** Normal form of the person who writes. */
  readonly userId: string;
  readonly key: string;
  readonly piiType: string;
  readonly category: 'high' | 'medium';
  /** Seed of the write: that of a job, or of a direct command. */
  readonly seed: string;
  readonly now: number;
}

export interface ConsentLookup {
  /** Whether a consent in force lets this be stored. */
  covers(question: ConsentQuestion): Promise<boolean>;
}

export const NO_CONSENTS: ConsentLookup = { covers: () => Promise.resolve(false) };

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
