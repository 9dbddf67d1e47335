import type { Socket } from 'node:net';

import type { FastifyRequest } from 'fastify';

import { MaceError } from '#lib/kernel';

const BEARER = /^bearer ([A-Za-z0-9._~+/=-]{1,4096})$/i;
/** Headers of which a second one would be dropped in silence, or be read as part of the first. */
const ONCE = new Set([
  'host',
  'authorization',
  'content-type',
  'if-match',
  'if-none-match',
  'content-length',
  'idempotency-key',
]);

interface Read {
  readonly authorization: string;
  readonly token: string | undefined;
}

/**
 * What a connection sent last. Whoever keeps a connection sends the same token with each request: comparing it with the
 * one before costs a twentieth of reading it, and of hashing it to find what is known of it.
 */
const reads = new WeakMap<Socket, Read>();

/** The token in the value of such a header; undefined where it has another form. */
export function tokenIn(authorization: string): string | undefined {
  return BEARER.exec(authorization)?.[1];
}

/** The token of `Authorization: Bearer`; undefined where there is none, or the header has another form. */
export function bearerToken({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const last = reads.get(raw.socket);
  if (last?.authorization === authorization) return last.token;
  const token = tokenIn(authorization);
  reads.set(raw.socket, { authorization, token });
  return token;
}

/** @throws MaceError INVALID_INPUT naming the header */
export function refuseRepeatedHeaders({ headers, raw: { rawHeaders } }: Pick<FastifyRequest, 'headers' | 'raw'>): void {
  // As many names as there are headers: none of them came twice.
  if (Object.keys(headers).length * 2 === rawHeaders.length) return;
  let seen = '';
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!ONCE.has(name)) continue;
    if (seen.includes(`${name} `)) throw new MaceError('INVALID_INPUT', `${name}: given twice`);
    seen += `${name} `;
  }
}
