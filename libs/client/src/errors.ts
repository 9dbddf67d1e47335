import type { Envelope, ErrorCode } from './types.js';

/** The server answered with an error's envelope; thrown by `unwrap` and by lists only. */
export class ApiError extends Error {
  constructor(readonly envelope: Envelope) {
    super(`${envelope.error_code}: ${envelope.developer_message}`);
    this.name = 'ApiError';
  }
}

/** No answer came: the server was out of reach, or time ran out. A write may have been carried out nevertheless. */
export class NoAnswerError extends Error {
  constructor(
    message: string,
    /** What the write was called: sent again under this name it is done once. */
    readonly idempotencyKey: string | undefined,
    options: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'NoAnswerError';
  }
}

/** An answer came that is none of this interface: not JSON, or no envelope where an error was said. */
export class ForeignAnswerError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = 'ForeignAnswerError';
  }
}

/** The signature of an answer is missing, not of this answer to this request, too old, or of a key that is not trusted. */
export class UnverifiedAnswerError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`the answer is not what the server signed: ${reason}`, options);
    this.name = 'UnverifiedAnswerError';
  }
}

/** Why no answer came: Node keeps what happened to a connection in the cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & {
    readonly cause?: { readonly code?: string; readonly message?: string };
  };
  return cause?.code ?? cause?.message ?? message;
}

export function isEnvelope(body: unknown): body is Envelope {
  if (typeof body !== 'object' || body === null) return false;
  const { error_code: code, severity, meta } = body as Readonly<Record<string, unknown>>;
  return typeof code === 'string' && typeof severity === 'string' && typeof meta === 'object';
}

/**
 * What a program does about an error:
 * - `again`: the same request later, with the same Idempotency-Key; the client does so by itself while its time lasts;
 * - `anew`: nothing of the request is wrong, but its answer is kept: later, with a new key;
 * - `read first`: something else was written; read, decide again, send with a new key;
 * - `change`: the request, or who makes it, has to be another one;
 * - `person`: somebody has to look at it: the operators, an approver, or whoever asked.
 */
export type Remedy = 'again' | 'anew' | 'read first' | 'change' | 'person';

export const REMEDIES: Readonly<Record<ErrorCode, Remedy>> = {
  SEM_NOT_FOUND: 'change',
  SEM_WRITE_FAIL: 'again',
  ROUTER_NO_MATCH: 'change',
  AGENT_TIMEOUT: 'anew',
  AGENT_ERROR: 'anew',
  LLM_SERVICE_DOWN: 'anew',
  COUNCIL_DEADLOCK: 'person',
  LOW_CONFIDENCE: 'person',
  REPAIR_LIMIT_EXCEEDED: 'person',
  INVALID_INPUT: 'change',
  PRIVACY_BLOCKED: 'change',
  CACHE_ERROR: 'again',
  LOG_INVALID: 'person',
  STORAGE_FULL: 'person',
  PERMISSION_DENIED: 'change',
  INTEGRITY_FAILURE: 'person',
  ROUTER_NO_SNAPSHOT: 'person',
  DATA_UNAVAILABLE: 'again',
  IDEMPOTENCY_KEY_REUSED: 'change',
  UNAUTHENTICATED: 'change',
  NOT_FOUND: 'change',
  CONFLICT: 'read first',
  JOB_SEED_CONFLICT: 'change',
  IMMUTABLE_FIELD: 'change',
  RATE_LIMITED: 'again',
  PRECONDITION_FAILED: 'read first',
  MISSING_SNAPSHOT: 'person',
  MISSING_PERSISTED_AGENT_OUTPUT: 'person',
  RESULT_MISMATCH: 'person',
  REPLAY_DIVERGENCE: 'person',
  FORCE_CONTINUE_REQUIRED: 'person',
  REPLAY_TIMEOUT: 'anew',
  WAIT_TIMEOUT: 'again',
};
