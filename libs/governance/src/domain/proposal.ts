import { canonicalize, sha256Hex, type JsonObject } from '#lib/kernel';

import type { ActionKind } from './action-kinds.js';

/** The exact thing that is voted on. */
export interface Proposal {
  readonly request_id: string;
  /** Holds `action`. */
  readonly payload: JsonObject;
  readonly justification: string;
  readonly evidence: readonly string[];
  readonly origin: string;
  readonly requested_by: string;
  readonly nonce: string;
}

/** What a vote signs: sha256 of the canonical proposal. */
export function proposalDigest(proposal: Proposal): string {
  return sha256Hex(canonicalize(proposal));
}

/** `ar-` + 32 hex; one command may ask for several actions, each under its own sequence_index. */
export function requestId(jobSeed: string, sequenceIndex: number): string {
  return `ar-${sha256Hex(`${jobSeed}:${sequenceIndex}:actionrequest`).slice(0, 32)}`;
}

export const REQUEST_ID = /^ar-[0-9a-f]{32}$/;

/** A payload in two: what everybody with access may read, and what is a person's content. */
export interface SplitPayload {
  readonly payload: JsonObject;
  readonly withheld: JsonObject;
  /** Null where the payload is nobody's. */
  readonly subject: string | null;
}

export function splitPayload(kind: ActionKind, payload: JsonObject): SplitPayload {
  const subject = kind.subject?.(payload) ?? null;
  const personal = subject === null ? [] : (kind.personal ?? []);
  const entries = Object.entries(payload);
  return {
    payload: Object.fromEntries(entries.filter(([name]) => !personal.includes(name))),
    withheld: Object.fromEntries(entries.filter(([name]) => personal.includes(name))),
    subject,
  };
}
