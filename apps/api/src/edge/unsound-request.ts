import type { FastifyRequest } from 'fastify';

import { MaceError } from '#lib/kernel';

const HOST = 'Host: the name of this server, once (RFC 9112, 3.2)';
const CODING = 'Transfer-Encoding: chunked, or none (RFC 9112, 6.1)';

/** Why nobody can tell for whom a request is, or where it ends; undefined where that is plain. */
export function unsoundRequest(request: FastifyRequest): MaceError | undefined {
  const reason = hostless(request) || twiceHosted(request) ? HOST : foreignlyCoded(request) ? CODING : undefined;
  return reason === undefined ? undefined : new MaceError('INVALID_INPUT', reason);
}

/** Node hands such a request over as one without a body, and only then finds that it cannot tell where it ends. */
function foreignlyCoded({ raw: { headers } }: FastifyRequest): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && coding.trim().toLowerCase() !== 'chunked';
}

function hostless({ raw }: FastifyRequest): boolean {
  return raw.headers.host === undefined && raw.httpVersionMajor === 1 && raw.httpVersionMinor > 0;
}

/** Node takes the first and drops the others, which somebody on the way may have gone by. */
function twiceHosted({ raw: { headers, rawHeaders } }: FastifyRequest): boolean {
  if (Object.keys(headers).length * 2 === rawHeaders.length) return false;
  return rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length > 1;
}
