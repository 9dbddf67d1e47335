import { randomUUID } from 'node:crypto';

import type { FastifyRequest } from 'fastify';

import type { CommandContext, Principal, Role } from '#lib/access';
import { commandSeed, hmacSha256Hex, MaceError, traceId, type RingKey } from '#lib/kernel';

import { personalDataIn } from './personal-data-in.js';
import { routePathOf, type RequestFacts } from './request-facts.js';

/** What making a command's context needs of the edge. */
export interface ContextParts {
  /** Keys the digests of requests' bodies. */
  readonly requestKey: RingKey;
  /** Whether a text holds personal data; ids, keys and path parts that do are refused. */
  readonly isPersonal: (text: string) => boolean;
}

const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{1,128}$/;
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Canonical text of a body that is not there. */
const NOTHING = 'null';

/**
 * Who commands, under which seed. A drawn seed needs no path: the path is there so that one key on two routes never meets.
 * @throws MaceError INVALID_INPUT, PRIVACY_BLOCKED for an Idempotency-Key
 */
export function commandContext(
  parts: ContextParts,
  request: FastifyRequest,
  principal: Principal,
  role: Role,
): CommandContext {
  const { method, mace: facts } = request;
  const isWrite = WRITES.has(method);
  const key = isWrite ? idempotencyKeyOf(request, parts) : undefined;
  const seed = commandSeed(principal.id, method, key === undefined ? '-' : routePathOf(request), key ?? randomUUID());
  const context = {
    principal,
    actor: { id: principal.id, role },
    seed,
    keyed: key !== undefined,
    traceId: facts.givenTraceId ?? traceId(seed),
    now: facts.now,
  };
  return isWrite ? withDigest(context, parts, facts) : { ...context, requestDigest: digestOfNothing(parts.requestKey) };
}

/** The body is read after this, so its digest is made when it is asked for. */
function withDigest(
  context: Omit<CommandContext, 'requestDigest'>,
  { requestKey }: ContextParts,
  facts: RequestFacts,
): CommandContext {
  let digest: string | undefined;
  return {
    ...context,
    // A getter of the object itself, so that a copy of it has the value.
    get requestDigest(): string {
      return (digest ??= hmacSha256Hex(requestKey.secret, facts.bodyText ?? NOTHING));
    },
  };
}

const digests = new WeakMap<RingKey, string>();

function digestOfNothing(key: RingKey): string {
  let digest = digests.get(key);
  if (digest === undefined) {
    digest = hmacSha256Hex(key.secret, NOTHING);
    digests.set(key, digest);
  }
  return digest;
}

function idempotencyKeyOf(request: FastifyRequest, parts: ContextParts): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) {
    throw new MaceError('INVALID_INPUT', 'Idempotency-Key: 1-128 characters of A-Za-z0-9._:-');
  }
  if (parts.isPersonal(key)) throw personalDataIn('Idempotency-Key');
  return key;
}
