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
  type TrustedProxies,
} from '#lib/access';
import { MaceError, systemSeed, traceId } from '#lib/kernel';

import { bearerToken, refuseRepeatedHeaders } from './bearer.js';
import { clientOf } from './client-address.js';
import { commandContext, type ContextParts } from './command-context.js';
import { refuseNul, requestText, soundText } from './json-body.js';
import { isLocalRequest } from './local-requests.js';
import { missingRoute } from './missing-route.js';
import type { DeclaredRoute } from './permission.js';
import { personalDataIn } from './personal-data-in.js';
import { checkQuery, NO_QUERY, refuseRepeated } from './query-string.js';
import type { AskedRequest, RequestFacts } from './request-facts.js';
import { CONSOLE_HEADER, sessionToken } from './session-cookie.js';
import { unsoundRequest } from './unsound-request.js';

export interface GateParts extends ContextParts {
  readonly authenticator: Authenticator;
  readonly denials: Denials;
  /** Absent where there is no limit. */
  readonly rateLimits?: RateLimits | undefined;
  readonly proxies: TrustedProxies;
  readonly now: () => number;
}

const TRACE_ID = /^[A-Za-z0-9._-]{1,64}$/;
/** Who watches over the process must get an answer, however many others ask. */
const UNLIMITED = /^\/(?:health|metrics|\.well-known)(?:\/|$)/;

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
    const { denied, principal, route } = request.mace;
    const { access } = route;
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
  // Whatever it asks for, and whoever asks: somebody on the way may take it for another request.
  const unsound = unsoundRequest(request);
  if (unsound) {
    countStranger(parts, request);
    return done(unsound);
  }
  // Before a byte of its body is parsed, and so before anything else could be wrong with it.
  if (request.is404) {
    countStranger(parts, request);
    return done(missingRoute(request.server.maceRoutes, request.url));
  }
  const { access, url = '' } = request.mace.route;
  if (access === undefined || access === 'public') {
    if (!UNLIMITED.test(url)) countStranger(parts, request);
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
  const look = (): Promise<Principal> => parts.authenticator.authenticate(token, mace.now);
  const limits = isLocalRequest(request.raw) ? undefined : parts.rateLimits;
  const proved = limits ? limits.prove(clientOf(request.raw, parts.proxies), mace.now, look) : look();
  proved.then(
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
    refuseRepeatedHeaders(request);
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
function countStranger({ authenticator, rateLimits, proxies }: GateParts, request: FastifyRequest): void {
  if (!rateLimits || isLocalRequest(request.raw)) return;
  const { now } = request.mace;
  const token = bearerToken(request) ?? cookieOf(request);
  const principal = token === undefined ? undefined : authenticator.seen(token, now);
  if (principal) rateLimits.takeOfPrincipal(principal.id, now);
  else rateLimits.takeOfAddress(clientOf(request.raw, proxies), now);
}

/** The token of the console's cookie; undefined where there is none, or the request is not the console's. */
function cookieOf({ headers }: FastifyRequest): string | undefined {
  try {
    return sessionToken(headers);
  } catch (error) {
    if (error instanceof MaceError) return undefined;
    throw error;
  }
}

/** The token, or undefined for a request that came through the data folder and carries none. */
function bearerOf(request: FastifyRequest): string | undefined {
  if (request.headers.authorization === undefined) {
    if (isLocalRequest(request.raw)) return undefined;
    const token = sessionToken(request.headers);
    if (token !== undefined) {
      request.mace.byCookie = true;
      return token;
    }
    throw new MaceError('UNAUTHENTICATED', 'Authorization: Bearer and a token; `mace token` prints one');
  }
  const token = bearerToken(request);
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
  refuseOther(request, principal);
  admitTo(parts, request, access, principal);
  done();
}

/**
 * A page names to whom it is shown. The cookie may be of somebody who signed in since, in another tab: nothing is read or
 * done as they, and the page asks who it is now.
 */
function refuseOther({ headers, mace: { byCookie, route } }: FastifyRequest, { id }: Principal): void {
  const shown = headers[CONSOLE_HEADER];
  if (!byCookie || route.url === '/auth/session' || shown === '1' || shown === encodeURIComponent(id)) return;
  throw new MaceError(
    'UNAUTHENTICATED',
    `${CONSOLE_HEADER}: the page is shown to somebody else than ${id}, who signed in since`,
  );
}

/**
 * Lets a principal in, under a role, with the context of whatever is commanded.
 * @throws MaceError PERMISSION_DENIED, INVALID_INPUT, PRIVACY_BLOCKED; ElevationRequiredError
 */
export function admitTo(
  parts: ContextParts,
  request: AskedRequest,
  access: PermissionName,
  principal: Principal,
): CommandContext {
  request.mace.principal = principal;
  const role = authorize(principal, access);
  return (request.mace.context = commandContext(parts, request, principal, role));
}

/** @throws MaceError INVALID_INPUT, PRIVACY_BLOCKED for what no route takes */
export function checkForm(request: AskedRequest, parts: ContextParts): void {
  const { access, takesBody = true, takesQuery = true, forBrowser = false } = request.mace.route;
  if (access === undefined) return;
  if (request.query !== NO_QUERY) {
    checkQuery(request.query, takesQuery);
    // An issuer may name the person in it, and nothing of it is recorded.
    if (!forBrowser) refusePersonalQuery(request.query as Readonly<Record<string, unknown>>, parts);
    refuseRepeated(request.query as Readonly<Record<string, unknown>>);
  }
  const params = request.params as Readonly<Record<string, string>>;
  for (const name in params) {
    refuseNul(params[name]!, `path, ${name}`);
    if (parts.isPersonal(params[name]!)) throw personalDataIn(`path, ${name}`);
  }
  if (request.mace.hasPersonalTraceId) throw personalDataIn('X-Trace-Id');
  if (request.body === undefined || request.body === null) return;
  const text = soundText(request.body);
  request.mace.bodyText = requestText(request.body, text);
  if (!takesBody && text !== '{}') throw new MaceError('INVALID_INPUT', 'body: this route takes none');
}

/** Whatever a route does with it: a record of who looked at what names the query too. */
function refusePersonalQuery(query: Readonly<Record<string, unknown>>, { isPersonal }: ContextParts): void {
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
    route: request.routeOptions.config,
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
