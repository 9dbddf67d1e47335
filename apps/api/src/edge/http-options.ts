import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

import type { FastifyHttpOptions, FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from 'node:http';

import { commandSeed, MaceError, traceId } from '#lib/kernel';

import { outerEnvelope } from './answer-failure.js';
import { MAX_BODY_BYTES } from './failure.js';
import { parseQueryString } from './query-string.js';

export interface Limits {
  /** Request line and headers together. */
  readonly headerBytes: number;
  readonly headersMs: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  readonly keepAliveMs: number;
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
  checkMs: 1_000,
};

type FrameworkErrors = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

export function httpOptions(frameworkErrors: FrameworkErrors, limits: Limits): FastifyHttpOptions<Server> {
  return {
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    keepAliveTimeout: limits.keepAliveMs,
    requestTimeout: limits.requestMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestIdHeader: false,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkMs,
    },
    routerOptions: {
      // The header limit bounds the whole path; a part that is too long is the handler's to name.
      maxParamLength: limits.headerBytes,
      querystringParser: parseQueryString,
    },
    clientErrorHandler: answerUnreadable,
    frameworkErrors,
  };
}

const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `request line and headers: at most ${LIMITS.headerBytes} bytes`,
  ERR_HTTP_REQUEST_TIMEOUT: `a request within ${LIMITS.requestMs / 1000} s, its headers within ${LIMITS.headersMs / 1000} s`,
};

/** What is not HTTP has no request and no reply: the envelope goes to the socket. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();
  const reason = REASONS[error.code ?? ''] ?? 'the request is not well-formed HTTP/1.1';
  const seed = commandSeed('anonymous', '-', '-', randomUUID());
  const body = JSON.stringify(outerEnvelope(new MaceError('INVALID_INPUT', reason), seed, traceId(seed), Date.now()));
  const head = `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body);
  // What still arrives is read and dropped, or the reset would overtake the answer.
  socket.resume();
  setTimeout(() => socket.destroy(), 1_000).unref();
}
