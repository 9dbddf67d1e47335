import { randomUUID } from 'node:crypto';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { commandSeed, errorEnvelope, queryId, traceId, type ErrorEnvelope, type MaceError } from '#lib/kernel';
import { detect, redact } from '#lib/privacy';

import { type Failure, failureOf } from './failure.js';
import type { FailedRequest, FailureListener } from './failure-listener.js';
import { pathOf, type RequestFacts } from './request-facts.js';
import { failureCookie } from './session-cookie.js';

/** Answers whatever was thrown with the envelope of spec/failures.md. */
export function answerFailure(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  listener: FailureListener,
): void {
  if (!reply.sent) void reply.send(renderFailure(thrown, request, reply, listener));
}

/** Sets status and headers of a failure's answer, and gives its content; the only place that words an error. */
export function renderFailure(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  listener: FailureListener,
): string {
  const { envelope, challenge, retryAfter } = wordFailure(thrown, request, listener);
  const trace = envelope.meta['trace_id'] as string;
  if (challenge) void reply.header('www-authenticate', challenge + placeOfTokens(request, listener));
  if (retryAfter !== undefined) void reply.header('retry-after', retryAfter);
  if ((request.mace as RequestFacts | null)?.route.forBrowser) {
    // The console, from two steps below it.
    void reply.code(303).header('location', '..').header('set-cookie', failureCookie(envelope));
    void reply.header('x-trace-id', trace).header('cache-control', 'no-store');
    return '';
  }
  const own = (request.mace as RequestFacts | null)?.route.asFailure?.(envelope, request.body !== undefined);
  const problem = own === undefined && wantsProblem(request.headers.accept);
  const body = problem
    ? { type: 'about:blank', title: envelope.error_code, detail: envelope.developer_message, ...envelope }
    : envelope;
  void reply
    .code(own ? 200 : envelope.status)
    .header('content-type', problem ? 'application/problem+json; charset=utf-8' : 'application/json; charset=utf-8')
    .header('x-trace-id', trace)
    .header('cache-control', 'no-store');
  return JSON.stringify(own ?? body);
}

function placeOfTokens({ mace }: FastifyRequest, { resourceMetadata }: FailureListener): string {
  const { isResource, url } = (mace as RequestFacts | null)?.route ?? {};
  return isResource && url && resourceMetadata ? `, resource_metadata="${resourceMetadata(url)}"` : '';
}

const PROBLEM = /^application\/problem\+json(?:;|$)/i;
/** What is not wanted at all (RFC 9110, 12.4.2). */
const UNWANTED = /;q=0(?:\.0{0,3})?(?:;|$)/i;

function wantsProblem(accept = ''): boolean {
  return accept.split(',').some((one) => {
    const range = one.replace(/[ \t]/g, '');
    return PROBLEM.test(range) && !UNWANTED.test(range);
  });
}

export interface WordedFailure extends Omit<Failure, 'error'> {
  readonly envelope: ErrorEnvelope;
}

/** What of a failure leaves the process; the listener is told of it, and the request's facts of a denial. */
export function wordFailure(thrown: unknown, request: FailedRequest, listener: FailureListener): WordedFailure {
  const { error, ...more } = failureOf(thrown);
  const facts = request.mace as RequestFacts | null;
  const envelope = envelopeOf(error, request, facts);
  const trace = envelope.meta['trace_id'] as string;
  if (more.fault) listener.fault(thrown, trace, error.code);
  const wantsFactor = more.challenge?.includes('max_age') ?? false;
  if (error.code === 'PERMISSION_DENIED' || wantsFactor) {
    if (facts) facts.denied = error.code;
  } else if (!hasOwnEvent(error)) listener.refused(request, error.code, trace);
  return { envelope, ...more };
}

/** A job that began tells of its failure in its own stream. */
function hasOwnEvent({ meta }: MaceError): boolean {
  return 'job_id' in meta;
}

function envelopeOf(
  error: MaceError,
  request: Pick<FastifyRequest, 'method' | 'url'>,
  facts: RequestFacts | null,
): ErrorEnvelope {
  const seed = facts?.context?.seed ?? commandSeed('anonymous', request.method, pathOf(request), randomUUID());
  const trace = facts?.context?.traceId ?? facts?.givenTraceId ?? traceId(seed);
  return outerEnvelope(error, seed, trace, facts?.now ?? Date.now());
}

/** Also for what fails before there is a request. */
export function outerEnvelope(error: MaceError, seed: string, trace: string, now: number): ErrorEnvelope {
  const meta = { query_id: queryId(seed), timestamp: new Date(now).toISOString(), trace_id: trace, ...error.meta };
  return errorEnvelope(error.code, withoutPersonal(error.developerMessage), meta);
}

/** Whoever worded an error may have named a place as its caller named it: the last net before it leaves. */
export function withoutPersonal(message: string): string {
  // A name in a pointer stands between slashes, where it is no word to a detector.
  const both = [...detect(message), ...detect(message.replaceAll('/', ' '))];
  const found = both.filter(({ category }) => category !== 'low');
  return found.length === 0 ? message : redact(message, found);
}
