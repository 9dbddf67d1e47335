import type { DomainEvent, ErrorCode, EventDefinition } from '#lib/kernel';

/** What several kinds of refusals are counted as together. */
export const SEVERAL = '*';

/** What is said of refused requests of one kind, and nothing of what they held. */
export type Refused = {
  readonly error_code: ErrorCode | typeof SEVERAL;
  /** Method and pattern of the route, `none` where there is none; or service and method of a call. */
  readonly route: string;
  readonly first_trace_id: string;
  readonly last_trace_id: string;
  /** Keyed digest of the body of the first with whose it was, where it was read. */
  readonly payload_hash?: string;
};

/** In `refusals-{principal}`: `count` requests were refused since the one before. */
export type RequestsRefused = DomainEvent<'REQUESTS_REFUSED', Refused & { readonly count: number }>;

export const requestsRefused: EventDefinition = {
  type: 'REQUESTS_REFUSED',
  version: 1,
  plain: ['error_code', 'route', 'count', 'first_trace_id', 'last_trace_id', 'payload_hash'],
};

/**
 * Codes of answers that no other event tells of: what is refused before a stream is known, or by what stands in it. A job
 * that began has its failure in its own stream, a permission that is missing is an ACCESS_DENIED.
 */
export const COUNTED_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'INVALID_INPUT',
  'UNAUTHENTICATED',
  'NOT_FOUND',
  'RATE_LIMITED',
  'SEM_NOT_FOUND',
  'STORAGE_FULL',
  'PRIVACY_BLOCKED',
  'CONFLICT',
  'IDEMPOTENCY_KEY_REUSED',
  'JOB_SEED_CONFLICT',
  'IMMUTABLE_FIELD',
  'PRECONDITION_FAILED',
  'DATA_UNAVAILABLE',
  'AGENT_ERROR',
]);
