import type { FastifyRequest } from 'fastify';

import { LOCAL_PRINCIPAL, type Refusals, type Refusee } from '#lib/access';
import type { ErrorCode } from '#lib/kernel';

import { bearerToken } from './bearer.js';
import { clientOf } from './client-address.js';
import type { FaultLog } from './fault-log.js';
import type { GateParts } from './gate.js';
import { isLocalRequest } from './local-requests.js';
import type { RequestFacts } from './request-facts.js';

/** What is looked at of a request that failed; what GraphQL asks of an operation has no connection of its own. */
export type FailedRequest = Pick<FastifyRequest, 'method' | 'url' | 'mace'> &
  Partial<Pick<FastifyRequest, 'raw' | 'headers' | 'is404'>>;

/** Who is told of each failure that a request is answered with. */
export interface FailureListener {
  /** Told of a fault of ours. */
  readonly fault: FaultLog;
  /** Told of every failure but a missing permission. */
  readonly refused: (request: FailedRequest, code: ErrorCode, traceId: string) => void;
  /** Where it is told who gives tokens for a resource (RFC 9728). */
  readonly resourceMetadata?: (route: string) => string;
}

/** What counting refused requests needs of the edge. */
export interface RefusalParts extends Pick<GateParts, 'authenticator' | 'proxies'> {
  readonly refusals: Pick<Refusals, 'count'>;
  /** Where this server is reached, with a slash at its end. */
  readonly publicUrl?: () => string;
}

/** Before the path of the resource. */
export const RESOURCE_METADATA = '.well-known/oauth-protected-resource';

/** Of requests that met no route. */
export const NO_ROUTE = 'none';

export function failureListener(parts: RefusalParts, fault: FaultLog): FailureListener {
  const { publicUrl } = parts;
  return {
    fault,
    ...(publicUrl ? { resourceMetadata: (route) => publicUrl() + RESOURCE_METADATA + route } : {}),
    refused: (request, code, traceId) => {
      const facts = request.mace as RequestFacts | null;
      const url = request.is404 === true ? undefined : facts?.route.url;
      parts.refusals.count({
        code,
        traceId,
        who: refuseeOf(request, facts, parts),
        route: url === undefined ? NO_ROUTE : `${request.method} ${url}`,
        payload: () => facts?.bodyText,
      });
    },
  };
}

/** A token that is known to be good says who it is, also where nobody asked for one yet. */
function refuseeOf(
  { raw, headers }: FailedRequest,
  facts: RequestFacts | null,
  { authenticator, proxies }: RefusalParts,
): Refusee {
  if (facts?.principal) return { principal: facts.principal.id };
  if (!raw || !headers) return { address: '' };
  const token = bearerToken({ raw, headers });
  const seen = token === undefined ? undefined : authenticator.seen(token, facts?.now ?? Date.now());
  if (seen) return { principal: seen.id };
  return isLocalRequest(raw) ? { principal: LOCAL_PRINCIPAL.id } : { address: clientOf(raw, proxies) };
}
