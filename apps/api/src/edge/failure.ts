import { HttpException } from '@nestjs/common';

import { ELEVATION_MAX_AGE_S, ElevationRequiredError } from '#lib/access';
import { UnreadableEvidenceError } from '#lib/audit';
import {
  AppendTooLargeError,
  DamagedArtifactError,
  DifferentBodyError,
  DuplicateEventError,
  IntegrityError,
  StorageFullError,
  StoredError,
  StoreUnavailableError,
  UnknownPositionError,
  UnknownSubjectKeyError,
  UnreadableFieldError,
  UnusableSubjectKeyError,
  VersionConflictError,
} from '#lib/event-store';
import {
  developerMessage,
  failure,
  InHandError,
  MaceError,
  RateLimitedError,
  NewerReleaseError,
  type ErrorCode,
} from '#lib/kernel';
import { ReadStoreCorruptError, ReadStoreUnavailableError } from '#lib/read-store';

/** An error that whoever throws it has told the log of, once, however often it is answered with. */
export class ToldError extends MaceError {}

/** What of a thrown thing may leave the process. */
export interface Failure {
  readonly error: MaceError;
  /** WWW-Authenticate. */
  readonly challenge?: string;
  /** Retry-After, whole seconds. */
  readonly retryAfter?: number;
  /** True where it is a bug or a broken part of ours: the log gets its stack. */
  readonly fault: boolean;
}

/** The kind of error a bug of ours is shown as; what happened stands in the log only. */
const BUG = new MaceError('AGENT_ERROR', 'a fault inside the server; its log has the details under this trace_id');

/** Thrown things to catalogue entries: no stack, path or stored content in any of them. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof ElevationRequiredError) {
    const challenge = `Bearer error="insufficient_user_authentication", max_age=${ELEVATION_MAX_AGE_S}`;
    return { error: thrown, challenge, fault: false };
  }
  if (thrown instanceof RateLimitedError) return { error: thrown, retryAfter: thrown.retryAfterSeconds, fault: false };
  if (thrown instanceof InHandError) return { error: thrown, retryAfter: thrown.retryAfterSeconds, fault: false };
  if (thrown instanceof MaceError) {
    return thrown.code === 'UNAUTHENTICATED'
      ? { error: thrown, challenge: 'Bearer realm="mace"', fault: false }
      : { error: thrown, fault: thrown.status >= 500 && !(thrown instanceof ToldError) };
  }
  if (thrown instanceof UnknownPositionError) {
    const message = `position: of an event of this log; none is at ${thrown.position}`;
    return { error: new MaceError('INVALID_INPUT', message), fault: false };
  }
  if (thrown instanceof HttpException) return failureOfHttp(thrown.getStatus(), codeOf(thrown.cause));
  if (isCutShort(thrown))
    return { error: new MaceError('INVALID_INPUT', 'body: the whole of it, before the connection ends'), fault: false };
  const fastifyCode = codeOf(thrown);
  if (fastifyCode?.startsWith('FST_'))
    return failureOfHttp((thrown as { statusCode?: number }).statusCode ?? 500, fastifyCode);
  const error = storeFailure(thrown);
  return { error, fault: true, ...(error instanceof InHandError ? { retryAfter: error.retryAfterSeconds } : {}) };
}

/** Whoever sends a body goes away in the middle of it, or is disconnected for being slow: Node says so, and Fastify adds 400. */
function isCutShort(thrown: unknown): boolean {
  return codeOf(thrown) === 'ECONNRESET' && (thrown as { readonly statusCode?: unknown }).statusCode === 400;
}

function failureOfHttp(status: number, fastifyCode: string | undefined): Failure {
  if (status >= 500) return { error: BUG, fault: true };
  if (status === 404 || status === 405) return { error: notFound(), fault: false };
  return {
    error: new MaceError(
      'INVALID_INPUT',
      FORMS[fastifyCode ?? ''] ?? 'the request does not have the form of HTTP and JSON',
    ),
    fault: false,
  };
}

export function notFound(): MaceError {
  return failure('NOT_FOUND', 'route', {});
}

export const MAX_BODY_BYTES = 256 * 1024;

function form(name: string, allowed: string): string {
  return developerMessage('INVALID_INPUT', 'form', { name, allowed });
}

const FORMS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: form('body', `at most ${MAX_BODY_BYTES} bytes`),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: form('Content-Type', 'application/json, in UTF-8'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: form('Content-Length', 'the number of bytes of the body'),
  FST_ERR_CTP_EMPTY_JSON_BODY: form('body', 'JSON, or no Content-Type'),
  FST_ERR_CTP_INVALID_JSON_BODY: form('body', 'well-formed JSON'),
  FST_ERR_BAD_URL: form('path', 'percent-encoded UTF-8 (RFC 3986)'),
  FST_ERR_MAX_PARAM_LENGTH: form('path', 'a part is too long'),
};

function storeFailure(thrown: unknown): MaceError {
  if (thrown instanceof StoredError) return stored(thrown);
  if (thrown instanceof AppendTooLargeError)
    return new MaceError('INVALID_INPUT', 'what this asks for is too much for one record; nothing was stored');
  if (thrown instanceof StorageFullError) return failure('STORAGE_FULL', 'no_room', { reason: thrown.reason });
  if (thrown instanceof StoreUnavailableError) return failure('DATA_UNAVAILABLE', 'store', {});
  if (thrown instanceof ReadStoreCorruptError || thrown instanceof ReadStoreUnavailableError)
    return failure('DATA_UNAVAILABLE', 'read_models', {});
  if (thrown instanceof UnknownSubjectKeyError) return failure('DATA_UNAVAILABLE', 'key_missing', {});
  if (thrown instanceof UnusableSubjectKeyError) return failure('DATA_UNAVAILABLE', 'key_unusable', {});
  if (thrown instanceof NewerReleaseError)
    return new MaceError('DATA_UNAVAILABLE', `${thrown.message}; start that one`);
  if (thrown instanceof UnreadableFieldError) return failure('INTEGRITY_FAILURE', 'field', {});
  if (thrown instanceof IntegrityError) {
    const { stream, revision } = thrown;
    const reason = 'it is not what was signed; nothing is read from its stream';
    return failure('INTEGRITY_FAILURE', 'stored', { stream, revision, reason }, { stream, revision });
  }
  if (thrown instanceof DamagedArtifactError) return failure('INTEGRITY_FAILURE', 'artifact', {});
  if (thrown instanceof UnreadableEvidenceError) return failure('INTEGRITY_FAILURE', 'evidence', {});
  if (thrown instanceof VersionConflictError)
    return new InHandError('others wrote here at the same time, again and again; try once more');
  const conflict = CONFLICTS.find(([type]) => thrown instanceof type);
  return conflict ? new MaceError(conflict[1], conflict[2]) : BUG;
}

/** With the code of what failed afterwards. */
function stored({ cause }: StoredError): MaceError {
  const { code, developerMessage, meta } = failureOf(cause).error;
  return new MaceError(code, `what was asked for is stored, and only its answer failed: ${developerMessage}`, meta);
}

const CONFLICTS: readonly (readonly [new (...args: never[]) => Error, ErrorCode, string])[] = [
  [
    DifferentBodyError,
    'IDEMPOTENCY_KEY_REUSED',
    'Idempotency-Key: one key for one request; this one came with another body',
  ],
  [DuplicateEventError, 'CONFLICT', 'these ids are taken by another command'],
];

function codeOf(thrown: unknown): string | undefined {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
