import type { JsonObject } from './canonical-json.js';
import { developerMessage, type Situation, type MessageValues, type DeveloperCode } from './developer-messages.js';

export type Severity = 'info' | 'warning' | 'error' | 'critical';

interface CatalogueEntry {
  readonly status: number;
  readonly severity: Severity;
  readonly user_message: string;
}

/** Every error code with its HTTP status, severity and golden message: the one table of spec/failures.md. */
export const ERROR_CATALOGUE = {
  SEM_NOT_FOUND: row(
    400,
    'info',
    'I don’t have that information stored yet. If you want, tell me and I’ll remember it.',
  ),
  SEM_WRITE_FAIL: row(
    500,
    'warning',
    'I tried to save that but my memory failed. I might not remember this next time.',
  ),
  ROUTER_NO_MATCH: row(400, 'info', 'I don’t have a module for that type of request yet.'),
  AGENT_TIMEOUT: row(
    504,
    'warning',
    'One of my internal modules timed out while trying to fetch the answer. I’ll try a fallback.',
  ),
  AGENT_ERROR: row(
    500,
    'error',
    'A module failed while processing your request. I can try a partial result or you can try again.',
  ),
  LLM_SERVICE_DOWN: row(503, 'critical', 'I can’t reach my language engine right now. Try again later.'),
  COUNCIL_DEADLOCK: row(
    409,
    'warning',
    'I’m not confident enough to decide on this. Do you want me to ask for human review or try a different approach?',
  ),
  LOW_CONFIDENCE: row(
    200,
    'warning',
    'I’m not confident about this answer. Would you like me to double-check or get a human to review?',
  ),
  REPAIR_LIMIT_EXCEEDED: row(
    503,
    'error',
    'I tried several times but couldn’t reach a reliable answer. Want to escalate to human review?',
  ),
  INVALID_INPUT: row(400, 'info', 'Your request looks malformed or too large. Please shorten it or fix the format.'),
  PRIVACY_BLOCKED: row(403, 'warning', 'I can’t store or repeat that kind of sensitive personal information.'),
  CACHE_ERROR: row(500, 'warning', 'My cache is out of reach right now; I’m working without it.'),
  LOG_INVALID: row(400, 'error', 'There was an internal integrity issue; request flagged for review.'),
  STORAGE_FULL: row(507, 'critical', 'My memory is full right now; I can’t store new information.'),
  PERMISSION_DENIED: row(403, 'warning', 'You don’t have permission to do that.'),
  INTEGRITY_FAILURE: row(409, 'critical', 'I’m temporarily unable to trust my past data; ops team will check.'),
  ROUTER_NO_SNAPSHOT: row(
    503,
    'error',
    'I can’t choose a module right now because my routing rules are missing; ops team will check.',
  ),
  DATA_UNAVAILABLE: row(503, 'error', 'I can’t reach my stored data right now. Try again later.'),
  IDEMPOTENCY_KEY_REUSED: row(
    422,
    'info',
    'I’ve already seen that request key with a different request. Use a new key for a new request.',
  ),
  UNAUTHENTICATED: row(401, 'warning', 'I can’t tell who you are yet. Please sign in and try again.'),
  NOT_FOUND: row(404, 'info', 'I don’t have anything at that address.'),
  CONFLICT: row(409, 'info', 'Something else changed this first. Please look at it again before you retry.'),
  JOB_SEED_CONFLICT: row(409, 'info', 'That job seed already belongs to a different request. Please pick a new one.'),
  IMMUTABLE_FIELD: row(409, 'info', 'That record can’t be changed once it’s written. Please add an amendment instead.'),
  RATE_LIMITED: row(429, 'info', 'You’re asking faster than I can answer. Please wait a moment.'),
  PRECONDITION_FAILED: row(412, 'info', 'This has changed since you last read it. Please read it again first.'),
  MISSING_SNAPSHOT: row(409, 'error', 'I can’t rerun this because a snapshot it used is missing.'),
  MISSING_PERSISTED_AGENT_OUTPUT: row(409, 'error', 'I can’t rerun this because an answer it relied on was not kept.'),
  RESULT_MISMATCH: row(409, 'error', 'The rerun gave a different answer from the one on record.'),
  REPLAY_DIVERGENCE: row(409, 'error', 'The rerun took a different path from the one on record.'),
  FORCE_CONTINUE_REQUIRED: row(
    409,
    'error',
    'This rerun has stopped at a difference; going on needs an admin’s and the council’s approval.',
  ),
  REPLAY_TIMEOUT: row(409, 'error', 'The rerun took longer than allowed and was stopped.'),
  WAIT_TIMEOUT: row(409, 'error', 'What you’re waiting for hasn’t happened yet. Please ask again.'),
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** The shape of every error answer (seed 001, "JSON error envelope"). */
export interface ErrorEnvelope {
  readonly error_code: ErrorCode;
  readonly status: number;
  readonly severity: Severity;
  readonly user_message: string;
  /** What was wrong and the allowed form; never another person's content. */
  readonly developer_message: string;
  readonly meta: JsonObject;
}

/** A failure somebody can cause or must be told of; everything else that is thrown is a fault of ours. */
export class MaceError extends Error {
  constructor(
    readonly code: ErrorCode,
    /** What was wrong and the allowed form. */
    readonly developerMessage: string,
    /** Further members of the envelope's `meta`, such as job_id. */
    readonly meta: JsonObject = {},
  ) {
    super(`${code}: ${developerMessage}`);
    this.name = 'MaceError';
  }

  get status(): number {
    return ERROR_CATALOGUE[this.code].status;
  }
}

/** The failure of a situation of the developers' table. @param meta further members of the envelope's `meta` */
export function failure<C extends DeveloperCode, S extends Situation<C>>(
  code: C,
  situation: S,
  told: MessageValues<C, S>,
  meta: JsonObject = {},
): MaceError {
  return new MaceError(code, developerMessage(code, situation, told), meta);
}

/** RATE_LIMITED: the answer's Retry-After says when to come again. */
export class RateLimitedError extends MaceError {
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number;

  constructor(reason: string, retryAfterMs: number) {
    const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
    super('RATE_LIMITED', developerMessage('RATE_LIMITED', 'wait', { reason, seconds }));
    this.name = 'RateLimitedError';
    this.retryAfterSeconds = seconds;
  }
}

/** CONFLICT that passes by itself: what is in the way is in hand and ends soon; the same may be sent again under the same key. */
export class InHandError extends MaceError {
  /** Whole seconds after which to come again. */
  readonly retryAfterSeconds = 1;

  constructor(developerMessage: string, meta: JsonObject = {}) {
    super('CONFLICT', developerMessage, meta);
  }
}

const MAX_NAME = 64;
const WORD = /^[A-Za-z_]+(?:[0-9]{1,2}[A-Za-z_]*)?$/;

/**
 * A member's name as an error may repeat it: a word, with at most two digits. Who sends a member that no form knows may have put
 * anything into its name, an identifier of a person too.
 */
export function shownName(name: string): string {
  return name.length <= MAX_NAME && WORD.test(name) ? name : '(a name of another form)';
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CATALOGUE, code);
}

/** The golden message of a code: exactly what a person is shown. */
export function goldenMessage(code: ErrorCode): string {
  return ERROR_CATALOGUE[code].user_message;
}

/** `meta` carries query_id, timestamp and trace_id besides what the error itself adds. */
export function errorEnvelope(code: ErrorCode, developerMessage: string, meta: JsonObject): ErrorEnvelope {
  const { status, severity, user_message } = ERROR_CATALOGUE[code];
  return { error_code: code, status, severity, user_message, developer_message: developerMessage, meta };
}

function row(status: number, severity: Severity, user_message: string): CatalogueEntry {
  return { status, severity, user_message };
}
