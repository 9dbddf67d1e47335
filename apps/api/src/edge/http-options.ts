import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { FastifyHttpOptions, FastifyReply, FastifyRequest } from 'fastify';
import { type Server, STATUS_CODES } from 'node:http';

import { commandSeed, MaceError, RateLimitedError, traceId } from '#lib/kernel';

import { outerEnvelope } from './answer-failure.js';
import type { SigningParts } from './answer-signing.js';
import { NO_ROUTE, type RefusalParts } from './failure-listener.js';
import { MAX_BODY_BYTES } from './failure.js';
import { parseQueryString } from './query-string.js';
import { securityHeaders } from './security-headers.js';

export interface Limits {
  /** Request line and headers together. */
  readonly headerBytes: number;
  readonly headersMs: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  readonly keepAliveMs: number;
  /** How long a connection may lie still while an answer is made, or waits to be read. */
  readonly stillMs: number;
  /** Connections at once; more are closed before a byte of them is read. */
  readonly connections: number;
  /** Connections at once of one address, or of one IPv6 /64. */
  readonly connectionsOfAddress: number;
  /** How often the times are looked at. */
  readonly checkMs: number;
}

/**
 * Limits on what one connection may take. A client that is slow, or does nothing, is disconnected; how many of them there
 * are then hardly matters.
 */
export const LIMITS: Limits = {
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 20_000,
  keepAliveMs: 10_000,
  // Longer than any answer takes: a job is answered with 202 after 30 s.
  stillMs: 60_000,
  connections: 8_192,
  connectionsOfAddress: 2_048,
  checkMs: 1_000,
};

export type FrameworkErrors = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

export function httpOptions(
  frameworkErrors: FrameworkErrors,
  limits: Limits,
  refusing: SocketRefusalParts,
): FastifyHttpOptions<Server> {
  return {
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    keepAliveTimeout: limits.keepAliveMs,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.stillMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestIdHeader: false,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkMs,
      // Node's own refusal has neither envelope nor signature; that of `guardConnections` has both.
      requireHostHeader: false,
    },
    routerOptions: {
      // The header limit bounds the whole path; a part that is too long is the handler's to name.
      maxParamLength: limits.headerBytes,
      querystringParser: parseQueryString,
    },
    clientErrorHandler: unreadableAnswerer(refusing),
    frameworkErrors,
  };
}

const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `request line and headers: at most ${LIMITS.headerBytes} bytes`,
  ERR_HTTP_REQUEST_TIMEOUT: `a request within ${LIMITS.requestMs / 1000} s, its headers within ${LIMITS.headersMs / 1000} s`,
};

type ClientErrorHandler = (error: Error & { code?: string }, socket: Socket) => void;

function unreadableAnswerer(parts: SocketRefusalParts): ClientErrorHandler {
  const refuse = socketRefuser(parts);
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    if (!socket.writable) return void socket.destroy();
    const reason = REASONS[error.code ?? ''] ?? 'the request is not well-formed HTTP/1.1';
    refuse(socket, new MaceError('INVALID_INPUT', reason));
  };
}

export type SocketRefusalParts = SigningParts & Pick<RefusalParts, 'refusals' | 'proxies'>;

/**
 * Answers where there is no reply, and closes: the envelope goes to the socket, signed without a method and a path. For
 * what is not HTTP, and for what Node hands over as a bare socket.
 */
export function socketRefuser(parts: SocketRefusalParts): (socket: Duplex, error: MaceError) => void {
  const { signer, now, refusals, proxies } = parts;
  const secure = securityHeaders();
  return (socket, error) => {
    const { status } = error;
    const seed = commandSeed('anonymous', '-', '-', randomUUID());
    const trace = traceId(seed);
    const body = JSON.stringify(outerEnvelope(error, seed, trace, now()));
    const contentType = 'application/json; charset=utf-8';
    const headers = {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      'x-trace-id': trace,
      ...(error instanceof RateLimitedError ? { 'retry-after': error.retryAfterSeconds } : {}),
      ...secure,
      ...signer.headersFor({ status, contentType, body, traceId: trace, request: undefined }, now()),
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const address = proxies.clientOf((socket as Socket).remoteAddress ?? '', undefined);
    refusals.count({ code: error.code, who: { address }, route: NO_ROUTE, traceId: trace });
    // Whoever asked may be gone by now.
    socket.on('error', () => socket.destroy());
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
    // What still arrives is read and dropped, or the reset would overtake the answer.
    socket.resume();
    setTimeout(() => socket.destroy(), 1_000).unref();
  };
}
