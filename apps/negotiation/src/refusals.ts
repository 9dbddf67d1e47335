import { Metadata, status } from '@grpc/grpc-js';

import type { ErrorCode, MaceError } from '#lib/kernel';

/** How what is thrown is told to callers, and to the log. */
export interface Refusals {
  /** What a thrown thing may tell of itself, and whether it is a fault of ours. */
  readonly failureOf: (thrown: unknown) => { readonly error: MaceError; readonly fault: boolean };
  /** An error's words as they may leave the process: whoever worded it may have named a place as its caller did. */
  readonly wordsOf: (error: MaceError) => string;
  readonly onFault: (thrown: unknown, trace: string) => void;
  readonly onCall: (call: FinishedCall) => void;
}

/** For whoever counts calls; no label of it is a caller's choice. */
export interface FinishedCall {
  readonly service: string;
  readonly method: string;
  /** Name of the status, such as `OK` or `NOT_FOUND`. */
  readonly status: string;
  readonly seconds: number;
}

/** As a call is ended with it. */
export interface Refusal {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

/** Statuses by error code (spec/negotiation-room.md, "Status codes"); every other is a fault inside. */
const STATUSES: Partial<Readonly<Record<ErrorCode, status>>> = {
  INVALID_INPUT: status.INVALID_ARGUMENT,
  PRIVACY_BLOCKED: status.INVALID_ARGUMENT,
  UNAUTHENTICATED: status.UNAUTHENTICATED,
  PERMISSION_DENIED: status.PERMISSION_DENIED,
  NOT_FOUND: status.NOT_FOUND,
  CONFLICT: status.ALREADY_EXISTS,
  IDEMPOTENCY_KEY_REUSED: status.ALREADY_EXISTS,
  RATE_LIMITED: status.RESOURCE_EXHAUSTED,
  STORAGE_FULL: status.RESOURCE_EXHAUSTED,
  WAIT_TIMEOUT: status.DEADLINE_EXCEEDED,
  DATA_UNAVAILABLE: status.UNAVAILABLE,
  INTEGRITY_FAILURE: status.DATA_LOSS,
};

/** The one answer to whatever was thrown; the log is told of a fault. @param trace `-` for a caller who is not known */
export function refusalOf({ failureOf, wordsOf, onFault }: Refusals, thrown: unknown, trace: string): Refusal {
  const { error, fault } = failureOf(thrown);
  if (fault) onFault(thrown, trace);
  const metadata = new Metadata();
  metadata.set('mace-error-code', error.code);
  if (trace !== '-') metadata.set('x-trace-id', trace);
  return { code: STATUSES[error.code] ?? status.INTERNAL, details: wordsOf(error), metadata };
}
