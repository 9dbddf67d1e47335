import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { systemSeed, traceId } from '#lib/kernel';
import { nonceAskedFor, type ResponseSigner } from '#lib/signatures';

/** What signing needs of the edge. */
export interface SigningParts {
  readonly signer: ResponseSigner;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

const TRACE = 'x-trace-id';
const NO_CONTENT = '';

/**
 * Signs every answer just before it is written (spec/privacy.md, "Who may do what"): after everything that could still
 * change its status, headers or content. 204 and server-sent events have no content whose end could be signed.
 */
export function signAnswers(fastify: FastifyInstance, parts: SigningParts): void {
  fastify.addHook('onSend', (request, reply, payload: unknown, done) => {
    if (isExempt(reply)) return done(null, payload);
    if (!(payload instanceof Readable)) {
      signReply(parts, request, reply, contentOf(payload));
      return done(null, payload);
    }
    // A signature stands before the content, so the content has to be there first.
    buffer(payload).then(
      (content) => {
        signReply(parts, request, reply, content);
        done(null, content);
      },
      (error: unknown) => done(error as Error),
    );
  });
}

/** Puts the signature on an answer with this content; for answers that no hook sees. */
export function signReply(
  { signer, now }: SigningParts,
  request: FastifyRequest,
  reply: FastifyReply,
  content: string | Uint8Array,
): void {
  const given = reply.getHeader(TRACE);
  const trace = typeof given === 'string' ? given : traceId(systemSeed('request', randomUUID()));
  const type = reply.getHeader('content-type');
  // RFC 9530, appendix B: the digest is of what is sent, and neither of these has content.
  const isBare = request.method === 'HEAD' || reply.statusCode === 304;
  const headers = signer.headersFor(
    {
      status: reply.statusCode,
      contentType: typeof type === 'string' ? type : undefined,
      body: isBare ? NO_CONTENT : content,
      traceId: trace,
      request: { method: request.method, target: targetOf(request) },
      nonce: nonceAskedFor(request.headers['accept-signature']),
    },
    now(),
  );
  void reply
    .header(TRACE, trace)
    .header('content-digest', headers['content-digest'])
    .header('signature-input', headers['signature-input'])
    .header('signature', headers.signature);
}

/** Path and query as they were sent (RFC 9421, sections 2.2.6 and 2.2.7). A request may name its target as a whole URI. */
function targetOf({ url }: FastifyRequest): string {
  const target = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return target === '' || target.startsWith('?') ? `/${target}` : target;
}

function isExempt(reply: FastifyReply): boolean {
  if (reply.statusCode === 204 || reply.statusCode < 200) return true;
  const type = reply.getHeader('content-type');
  return typeof type === 'string' && type.startsWith('text/event-stream');
}

/** @throws TypeError for what would go out unsigned */
function contentOf(payload: unknown): string | Uint8Array {
  if (payload === undefined || payload === null) return NO_CONTENT;
  if (typeof payload === 'string' || payload instanceof Uint8Array) return payload;
  throw new TypeError('an answer is a text, bytes or a stream of Node; nothing else can be signed');
}
