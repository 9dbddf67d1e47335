import type { PermissionName } from '#lib/access';
import { ERROR_CATALOGUE, errorEnvelope, type ErrorCode, type JsonObject } from '#lib/kernel';

import type { OperationDoc } from './doc.js';
import { headerRefs, IN_HAND, ON_EVERY_ANSWER } from './openapi-headers.js';

/** Which errors an operation answers with, and what each of them looks like. */

export interface OperationForm {
  readonly access: PermissionName | 'public' | undefined;
  /** It may change something. */
  readonly writes: boolean;
  readonly hasPathParts: boolean;
  readonly doc: OperationDoc | undefined;
}

/** The gate refuses these whatever the route: a malformed request, and personal data in its path, query or headers. */
const EVERYWHERE: readonly ErrorCode[] = ['INVALID_INPUT', 'PRIVACY_BLOCKED'];
/** A fault of ours is shown as AGENT_ERROR. */
const BEHIND_THE_GATE: readonly ErrorCode[] = [
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'RATE_LIMITED',
  'DATA_UNAVAILABLE',
  'INTEGRITY_FAILURE',
  'AGENT_ERROR',
];
/** A key is bound to its body before the handler is asked. */
const OF_WRITES: readonly ErrorCode[] = ['IDEMPOTENCY_KEY_REUSED', 'CONFLICT', 'STORAGE_FULL'];

/** By rule from the operation's form, and what its description adds. */
export function errorsOf({ access, writes, hasPathParts, doc }: OperationForm): readonly ErrorCode[] {
  const own = doc?.errors ?? [];
  return [
    ...new Set<ErrorCode>([
      ...EVERYWHERE,
      ...(access === 'public' ? [] : BEHIND_THE_GATE),
      ...(hasPathParts && !own.includes('SEM_NOT_FOUND') ? (['NOT_FOUND'] as const) : []),
      ...(writes && !doc?.changesNothing ? OF_WRITES : []),
      ...(doc?.headers?.includes('If-Match') && !doc.refused ? (['PRECONDITION_FAILED'] as const) : []),
      ...own,
    ]),
  ];
}

/**
 * References to one response a status.
 * @param drawn the responses of all operations, by name: those that are missing are added
 */
export function errorResponses(codes: readonly ErrorCode[], drawn: Record<string, unknown>): Record<string, unknown> {
  const responses: Record<string, unknown> = {};
  for (const status of new Set(codes.map((code) => ERROR_CATALOGUE[code].status))) {
    const here = codes.filter((code) => ERROR_CATALOGUE[code].status === status).sort();
    const name = `${status}.${here.join('-')}`;
    drawn[name] ??= errorResponse(status, here);
    responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return responses;
}

/** Codes that share a status, as a union by `error_code`, with an example of each. */
function errorResponse(status: number, codes: readonly ErrorCode[]): object {
  const content = (suffix: string): object => ({
    schema: unionOf(codes, suffix),
    examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}${suffix}` }])),
  });
  return {
    description: codes.join(', '),
    headers: {
      ...headerRefs([
        ...ON_EVERY_ANSWER,
        ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
        ...(status === 429 ? (['Retry-After'] as const) : []),
      ]),
      ...(codes.includes('CONFLICT') ? IN_HAND : {}),
    },
    content: { 'application/json': content(''), 'application/problem+json': content(PROBLEM_SUFFIX) },
  };
}

const PROBLEM_SUFFIX = '.problem';

function unionOf(codes: readonly ErrorCode[], suffix: string): object {
  const oneOf = codes.map((code) => ({ $ref: `#/components/schemas/${code}${suffix}` }));
  const mapping = Object.fromEntries(codes.map((code, i) => [code, oneOf[i]!.$ref]));
  return oneOf.length === 1 ? oneOf[0]! : { oneOf, discriminator: { propertyName: 'error_code', mapping } };
}

/** Examples of every code of the catalogue, as envelope and as RFC 9457 problem. */
export function errorExamples(): Record<string, unknown> {
  return Object.fromEntries(
    (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).flatMap((code) => {
      const value = errorEnvelope(code, DEVELOPER_MESSAGES[code], META);
      const problem = { type: 'about:blank', title: code, detail: DEVELOPER_MESSAGES[code], ...value };
      const summary = ERROR_CATALOGUE[code].user_message;
      return [
        [code, { summary, value }],
        [code + PROBLEM_SUFFIX, { summary, value: problem }],
      ];
    }),
  );
}

const META: JsonObject = {
  query_id: 'q-6cd8ff1aee2a44a0b3e1dd2f3b1c5a90',
  timestamp: '2026-01-01T12:00:00.000Z',
  trace_id: 'trace-6c4def45dc3b57f7',
};

const DEVELOPER_MESSAGES: Readonly<Record<ErrorCode, string>> = {
  SEM_NOT_FOUND: 'SEM lookup for key user/profile/user_tuff/favorite_food returned empty.',
  SEM_WRITE_FAIL: 'the event could not be recorded; nothing was written',
  ROUTER_NO_MATCH: 'no agent was eligible for this query',
  AGENT_TIMEOUT: 'profile_agent did not answer within its time',
  AGENT_ERROR: 'a fault inside the server; its log has the details under this trace_id',
  LLM_SERVICE_DOWN: 'no configured engine answered',
  COUNCIL_DEADLOCK: 'the council could not agree',
  LOW_CONFIDENCE: 'final_confidence is below the threshold',
  REPAIR_LIMIT_EXCEEDED: 'the council rejected every repaired answer',
  INVALID_INPUT: 'body.query_text: missing',
  PRIVACY_BLOCKED: 'Idempotency-Key: an opaque id, without personal data',
  CACHE_ERROR: 'the cache does not answer',
  LOG_INVALID: 'the log is not what was signed',
  STORAGE_FULL: 'the store has no room; nothing was written',
  PERMISSION_DENIED: 'sem.delete needs the role admin',
  INTEGRITY_FAILURE: 'a stored event is not what was signed; nothing is read from its stream',
  ROUTER_NO_SNAPSHOT: 'there is no router snapshot to pin',
  DATA_UNAVAILABLE: 'the store does not answer',
  IDEMPOTENCY_KEY_REUSED: 'this Idempotency-Key came with another body before; draw a new one',
  UNAUTHENTICATED: 'Authorization: Bearer and a valid token',
  NOT_FOUND: 'nothing here has this id',
  CONFLICT: 'something else was written in between; read again before another try',
  JOB_SEED_CONFLICT: 'this job_seed belongs to a job with another request',
  IMMUTABLE_FIELD: 'ImmutableFieldError: Cannot modify final_answer. Create an Amendment instead.',
  RATE_LIMITED: 'too many requests of this principal',
  PRECONDITION_FAILED: 'If-Match asks for revision 3; the revision is 4',
  MISSING_SNAPSHOT: 'a snapshot that the job pinned is not there',
  MISSING_PERSISTED_AGENT_OUTPUT: 'the job ran without persist_agent_outputs',
  RESULT_MISMATCH: 'the answer differs from the record',
  REPLAY_DIVERGENCE: 'event 7 differs from the record',
  FORCE_CONTINUE_REQUIRED: 'the replay stopped at event 7',
  REPLAY_TIMEOUT: 'the replay took longer than allowed',
  WAIT_TIMEOUT: 'the read model has not reached the position yet',
};

const META_SCHEMA = {
  type: 'object',
  description: 'Also ids of what the error is about: `job_id` and `log_id` of a job without an answer, `replay_id`.',
  required: ['query_id', 'timestamp', 'trace_id'],
  properties: {
    query_id: { type: 'string' },
    timestamp: { type: 'string', format: 'date-time' },
    trace_id: { type: 'string' },
  },
};

const ENVELOPE_MEMBERS = {
  error_code: { type: 'string', enum: Object.keys(ERROR_CATALOGUE) },
  status: { type: 'integer' },
  severity: { type: 'string', enum: ['info', 'warning', 'error', 'critical'] },
  user_message: { type: 'string', description: 'What a person is shown.' },
  developer_message: { type: 'string', description: 'What was wrong, and the allowed form.' },
  meta: META_SCHEMA,
};

/** RFC 9457, for `Accept: application/problem+json`. */
const PROBLEM_MEMBERS = { type: { const: 'about:blank' }, title: { type: 'string' }, detail: { type: 'string' } };

/** Any error's envelope, and that of each code by its name; the same as problems. */
export function errorSchemas(): Record<string, unknown> {
  const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
  return {
    ErrorEnvelope: closed(ENVELOPE_MEMBERS),
    Problem: closed({ ...PROBLEM_MEMBERS, ...ENVELOPE_MEMBERS }),
    ...Object.fromEntries(
      codes.flatMap((code) => [
        [code, closed({ ...ENVELOPE_MEMBERS, ...fixedOf(code) })],
        [
          code + PROBLEM_SUFFIX,
          closed({ ...PROBLEM_MEMBERS, title: { const: code }, ...ENVELOPE_MEMBERS, ...fixedOf(code) }),
        ],
      ]),
    ),
  };
}

/** What every answer of a code says alike. */
function fixedOf(code: ErrorCode): object {
  const { status, severity, user_message } = ERROR_CATALOGUE[code];
  return {
    error_code: { type: 'string', const: code },
    status: { type: 'integer', const: status },
    severity: { type: 'string', const: severity },
    user_message: { type: 'string', const: user_message },
  };
}

function closed(properties: object): object {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}
