import { Metadata, status } from '@grpc/grpc-js';

import type { Refusals as RefusalCounts, Refusee } from '#lib/access';
import type { ErrorCode, MaceError } from '#lib/kernel';

/** How what is thrown is told to callers, and to the log. */
export interface Refusals {
  /** What a thrown thing may tell of itself, and whether it is a fault of ours. */
  readonly failureOf: (thrown: unknown) => { readonly error: MaceError; readonly fault: boolean };
  /** An error's words as they may leave the process: whoever worded it may have named a place as its caller did. */
  readonly wordsOf: (error: MaceError) => string;
  readonly onFault: (thrown: unknown, trace: string) => void;
  readonly refusals: Pick<RefusalCounts, 'count'>;
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

/** Which call was refused, for the count of those. */
export interface RefusedCall {
  readonly who: Refusee;
  readonly service: string;
  readonly method: string;
  /** `-` for a caller who is not known. */
  readonly trace: string;
}

/** The one answer to whatever was thrown; the log is told of a fault, and the refusal is counted. */
export function refusalOf(
  { failureOf, wordsOf, onFault, refusals }: Refusals,
  thrown: unknown,
  { who, service, method, trace }: RefusedCall,
): Refusal {
  const { error, fault } = failureOf(thrown);
  if (fault) onFault(thrown, trace);
  refusals.count({ code: error.code, who, route: `${service}/${method}`, traceId: trace });
  const metadata = new Metadata();
  metadata.set('mace-error-code', error.code);
  if (trace !== '-') metadata.set('x-trace-id', trace);
  return { code: STATUSES[error.code] ?? status.INTERNAL, details: wordsOf(error), metadata };
}
