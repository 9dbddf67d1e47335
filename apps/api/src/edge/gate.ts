import { randomUUID } from 'node:crypto';

import type { FastifyInstance, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

import {
  authorize,
  isPermissionName,
  LOCAL_PRINCIPAL,
  type Authenticator,
  type CommandContext,
  type Denials,
  type PermissionName,
  type Principal,
  type RateLimits,
  type Role,
} from '#lib/access';
import { commandSeed, hmacSha256Hex, MaceError, systemSeed, traceId, type RingKey } from '#lib/kernel';

import { notFound } from './failure.js';
import { refuseNul, requestText, soundText } from './json-body.js';
import { isLocalRequest } from './local-requests.js';
import type { DeclaredRoute } from './permission.js';
import { checkQuery } from './query-string.js';
import { routePathOf, type RequestFacts } from './request-facts.js';

export interface GateParts {
  readonly authenticator: Authenticator;
  readonly denials: Denials;
  /** Absent where there is no limit. */
  readonly rateLimits?: RateLimits | undefined;
  /** Keys the digests of requests' bodies. */
  readonly requestKey: RingKey;
  /** Whether a text holds personal data; ids, keys and path parts that do are refused. */
  readonly isPersonal: (text: string) => boolean;
  readonly now: () => number;
}

const TRACE_ID = /^[A-Za-z0-9._-]{1,64}$/;
const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{1,128}$/;
const BEARER = /^bearer ([A-Za-z0-9._~+/=-]{1,4096})$/i;
/** Headers of which a second one would be dropped in silence. */
const ONCE = new Set(['host', 'authorization', 'content-type', 'if-match', 'content-length']);
/** Who watches over the process must get an answer, however many others ask. */
const UNLIMITED = /^\/(?:health|metrics|\.well-known)(?:\/|$)/;
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Stands before every route, Nest's or not: who is asking and may they (before a byte of the body is read), then
 * whether the request has a sound form. The order of refusal is that of spec/privacy.md.
 */
export function setGate(fastify: FastifyInstance, parts: GateParts): void {
  const routes: DeclaredRoute[] = [];
  fastify.decorate('maceRoutes', routes);
  fastify.addHook('onRoute', ({ method, url, config }) => {
    const access = config?.access;
    if (access === 'public' || (access !== undefined && isPermissionName(access))) {
      const takesBody = config?.takesBody ?? true;
      for (const one of [method].flat()) routes.push({ method: one, url, access, takesBody });
      return;
    }
    throw new UndeclaredRouteError(String(method), url);
  });
  fastify.decorateRequest('mace', null as never);
  fastify.addHook('onRequest', (request, _reply, done) => {
    request.mace = factsOf(request, parts);
    try {
      identify(parts, request, done);
    } catch (error) {
      done(error as Error);
    }
  });
  fastify.addHook('preValidation', (request, reply, done) => {
    try {
      checkForm(request, parts);
      const { context, givenTraceId } = request.mace;
      void reply.header('x-trace-id', context?.traceId ?? givenTraceId ?? traceId(systemSeed('request', randomUUID())));
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    const { denied, principal } = request.mace;
    const { access } = request.routeOptions.config;
    if (denied !== undefined && principal && access) parts.denials.count(principal.id, access, denied);
    done();
  });
}

/** A route that does not say who may call it; nobody may, so the process does not start. */
export class UndeclaredRouteError extends Error {
  constructor(method: string, url: string) {
    super(`route ${method} ${url} declares no permission: give it @Permission(...) or @Public()`);
    this.name = 'UndeclaredRouteError';
  }
}

/** Who is asking, and may they: before anything else of the request is looked at. Exported for the benchmark. */
export function identify(parts: GateParts, request: FastifyRequest, done: HookHandlerDoneFunction): void {
  // Before a byte of its body is parsed, and so before anything else could be wrong with it.
  if (request.is404) {
    countStranger(parts, request);
    return done(notFound());
  }
  const { access } = request.routeOptions.config;
  if (access === undefined || access === 'public') {
    if (!UNLIMITED.test(request.routeOptions.url ?? '')) countStranger(parts, request);
    return done();
  }
  const token = presented(parts, request);
  if (token === undefined) return admit(parts, request, access, LOCAL_PRINCIPAL, done);
  const { mace } = request;
  mace.token = token;
  const seen = parts.authenticator.seen(token, mace.now);
  if (seen) {
    parts.rateLimits?.takeOfPrincipal(seen.id, mace.now);
    return admit(parts, request, access, seen, done);
  }
  parts.authenticator.authenticate(token, mace.now).then(
    (principal) => {
      try {
        parts.rateLimits?.takeOfPrincipal(principal.id, mace.now);
        admit(parts, request, access, principal, done);
      } catch (error) {
        done(error as Error);
      }
    },
    (error: unknown) => done(refusalOfToken(parts, request, error)),
  );
}

/**
 * The token of a request, or undefined for one that came through the data folder and carries none.
 * @throws MaceError INVALID_INPUT, UNAUTHENTICATED; RateLimitedError for an address that came without one too often
 */
function presented(parts: GateParts, request: FastifyRequest): string | undefined {
  try {
    refuseRepeatedHeaders(request.raw.rawHeaders);
    return bearerOf(request);
  } catch (error) {
    countStranger(parts, request);
    throw error;
  }
}

/** A token that is not taken counts as none: for the address it came from. What the store could not tell does not. */
function refusalOfToken(parts: GateParts, request: FastifyRequest, error: unknown): Error {
  try {
    if (error instanceof MaceError && error.code === 'UNAUTHENTICATED') countStranger(parts, request);
    return error as Error;
  } catch (limited) {
    return limited as Error;
  }
}

/** Counts a request whose principal nobody asks for: for a principal that is known already, else for its address. */
function countStranger({ authenticator, rateLimits }: GateParts, request: FastifyRequest): void {
  if (!rateLimits || isLocalRequest(request.raw)) return;
  const { now } = request.mace;
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
  const principal = token === undefined ? undefined : authenticator.seen(token, now);
  if (principal) rateLimits.takeOfPrincipal(principal.id, now);
  else rateLimits.takeOfAddress(request.ip, now);
}

/** The bearer token, or undefined for a request that came through the data folder and carries none. */
function bearerOf(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) {
    if (isLocalRequest(request.raw)) return undefined;
    throw new MaceError('UNAUTHENTICATED', 'Authorization: Bearer and a token; `mace token` prints one');
  }
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined)
    throw new MaceError('UNAUTHENTICATED', 'Authorization: the word Bearer, a space and a token');
  return token;
}

function admit(
  parts: GateParts,
  request: FastifyRequest,
  access: PermissionName,
  principal: Principal,
  done: HookHandlerDoneFunction,
): void {
  request.mace.principal = principal;
  const role = authorize(principal, access);
  request.mace.context = contextOf(parts, request, principal, role);
  done();
}

function contextOf(parts: GateParts, request: FastifyRequest, principal: Principal, role: Role): CommandContext {
  const facts = request.mace;
  const given = idempotencyKeyOf(request, parts);
  const seed = commandSeed(principal.id, request.method, routePathOf(request), given ?? randomUUID());
  let digest: string | undefined;
  return {
    principal,
    actor: { id: principal.id, role },
    seed,
    keyed: given !== undefined,
    // The body is read after this; a getter of the object itself, so that a copy of it has the value.
    get requestDigest(): string {
      return (digest ??= hmacSha256Hex(parts.requestKey.secret, facts.bodyText ?? 'null'));
    },
    traceId: facts.givenTraceId ?? traceId(seed),
    now: facts.now,
  };
}

function idempotencyKeyOf(request: FastifyRequest, parts: GateParts): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || !WRITES.has(request.method)) return undefined;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) {
    throw new MaceError('INVALID_INPUT', 'Idempotency-Key: 1-128 characters of A-Za-z0-9._:-');
  }
  if (parts.isPersonal(key)) throw personal('Idempotency-Key');
  return key;
}

function checkForm(request: FastifyRequest, parts: GateParts): void {
  const { access, takesBody = true, takesQuery = true } = request.routeOptions.config;
  if (access === undefined) return;
  checkQuery(request.query, takesQuery);
  refusePersonalQuery(request.query as Readonly<Record<string, unknown>>, parts);
  for (const [name, value] of Object.entries(request.params as Record<string, string>)) {
    refuseNul(value, `path, ${name}`);
    if (parts.isPersonal(value)) throw personal(`path, ${name}`);
  }
  if (request.mace.hasPersonalTraceId) throw personal('X-Trace-Id');
  if (request.body === undefined || request.body === null) return;
  const text = soundText(request.body);
  request.mace.bodyText = requestText(request.body, text);
  if (!takesBody && text !== '{}') throw new MaceError('INVALID_INPUT', 'body: this route takes none');
}

/** Whatever a route does with it: a record of who looked at what names the query too. */
function refusePersonalQuery(query: Readonly<Record<string, unknown>>, { isPersonal }: GateParts): void {
  for (const [name, value] of Object.entries(query)) {
    if (isPersonal(name)) throw new MaceError('PRIVACY_BLOCKED', 'query, a name: without personal data');
    const texts = [value].flat(Infinity).map(String);
    if (texts.some(isPersonal)) throw new MaceError('PRIVACY_BLOCKED', `query, ${name}: without personal data`);
  }
}

function factsOf(request: FastifyRequest, { now, isPersonal }: GateParts): RequestFacts {
  const trace = request.headers['x-trace-id'];
  const given = typeof trace === 'string' && TRACE_ID.test(trace) ? trace : undefined;
  // Seen before anything could repeat it: a refusal of any kind names its trace, and so does the log.
  const hasPersonalTraceId = given !== undefined && isPersonal(given);
  return {
    givenTraceId: hasPersonalTraceId ? undefined : given,
    hasPersonalTraceId,
    now: now(),
    principal: undefined,
    token: undefined,
    bodyText: undefined,
    context: undefined,
    denied: undefined,
  };
}

function refuseRepeatedHeaders(raw: readonly string[]): void {
  let seen = '';
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    if (!ONCE.has(name)) continue;
    if (seen.includes(`${name} `)) throw new MaceError('INVALID_INPUT', `${name}: given twice`);
    seen += `${name} `;
  }
}

function personal(place: string): MaceError {
  return new MaceError('PRIVACY_BLOCKED', `${place}: an opaque id, without personal data`);
}
