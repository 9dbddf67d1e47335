import { randomFillSync } from 'node:crypto';

import type { CommandContext, Principal, Role } from '#lib/access';
import { commandSeed, MaceError, type RequestDigests, traceId } from '#lib/kernel';

import { ifMatchOf, refuseIfNoneMatch } from './etag.js';
import { personalDataIn } from './personal-data-in.js';
import { type AskedRequest, routePathOf } from './request-facts.js';

/** What making a command's context needs of the edge. */
export interface ContextParts {
  /** Digests of requests' bodies. */
  readonly requestDigests: RequestDigests;
  /** Whether a text holds personal data; ids, keys and path parts that do are refused. */
  readonly isPersonal: (text: string) => boolean;
}

const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{1,128}$/;
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Canonical text of a body that is not there. */
const NOTHING = 'null';

/**
 * Who commands, under which seed.
 * @throws MaceError INVALID_INPUT, PRIVACY_BLOCKED for an Idempotency-Key, an If-Match or an If-None-Match
 */
export function commandContext(
  parts: ContextParts,
  request: Omit<AskedRequest, 'query' | 'body'>,
  principal: Principal,
  role: Role,
): CommandContext {
  const { method, mace: facts } = request;
  const isWrite = WRITES.has(method);
  const key = isWrite ? idempotencyKeyOf(request, parts) : undefined;
  const seed = key === undefined ? drawnCommandSeed() : commandSeed(principal.id, method, routePathOf(request), key);
  const actor = { id: principal.id, role };
  const trace = facts.givenTraceId ?? traceId(seed);
  if (!isWrite) {
    const requestDigest = digestOfNothing(parts.requestDigests);
    return { principal, actor, seed, keyed: false, requestDigest, traceId: trace, now: facts.now };
  }
  const { requestDigests } = parts;
  refuseIfNoneMatch(request);
  const ifMatch = ifMatchOf(request);
  let digest: string | undefined;
  return {
    principal,
    actor,
    seed,
    keyed: key !== undefined,
    // The body is read after this; a getter of the object itself, so that a copy of it has the value.
    get requestDigest(): string {
      return (digest ??= requestDigests.of(facts.bodyText ?? NOTHING));
    },
    ...(requestDigests.hasRetired ? { earlierDigests: () => requestDigests.earlier(facts.bodyText ?? NOTHING) } : {}),
    traceId: trace,
    ...(ifMatch === undefined ? {} : { ifMatch }),
    now: facts.now,
  };
}

const SEED_BYTES = 16;
const drawn = Buffer.alloc(256 * SEED_BYTES);
let used = drawn.length;

/** A drawn seed (spec/kernel.md, "Seeds"). Random bytes are asked for by the many: the asking costs more than they do. */
function drawnCommandSeed(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += SEED_BYTES;
  return `cmd:${drawn.toString('hex', used - SEED_BYTES, used)}`;
}

const ofNothing = new WeakMap<RequestDigests, string>();

function digestOfNothing(digests: RequestDigests): string {
  let digest = ofNothing.get(digests);
  if (digest === undefined) {
    digest = digests.of(NOTHING);
    ofNothing.set(digests, digest);
  }
  return digest;
}

function idempotencyKeyOf(request: Pick<AskedRequest, 'headers'>, parts: ContextParts): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) {
    throw new MaceError('INVALID_INPUT', 'Idempotency-Key: 1-128 characters of A-Za-z0-9._:-');
  }
  if (parts.isPersonal(key)) throw personalDataIn('Idempotency-Key');
  return key;
}
