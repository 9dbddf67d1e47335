import { randomUUID } from 'node:crypto';

import { Metadata, type sendUnaryData, type ServerUnaryCall, status } from '@grpc/grpc-js';

import {
  type Authenticator,
  authorize,
  type Denials,
  hasRole,
  type PermissionName,
  type Principal,
  type RateLimits,
} from '#lib/access';
import { commandSeed, type ErrorCode, MaceError, systemSeed, traceId } from '#lib/kernel';
import type { CallContext, Caller } from '#lib/negotiation';

import { CROWDED, MAX_FIELDS } from './proto/crowded.js';

/** What every call is held to, whichever method it is of. */
export interface CallParts {
  readonly authenticator: Authenticator;
  readonly denials: Denials;
  /** Absent where there is no limit. */
  readonly rateLimits: RateLimits | undefined;
  readonly isPersonal: (text: string) => boolean;
  /** What a thrown thing may tell of itself, and whether it is a fault of ours. */
  readonly failureOf: (thrown: unknown) => { readonly error: MaceError; readonly fault: boolean };
  /** An error's words as they may leave the process: whoever worded it may have named a place as its caller did. */
  readonly wordsOf: (error: MaceError) => string;
  readonly onFault: (thrown: unknown, trace: string) => void;
  readonly onCall: (call: FinishedCall) => void;
}

/** For whoever counts calls; no label of it is a caller's choice. */
export interface FinishedCall {
  readonly service: string;
  readonly method: string;
  /** Name of the status, such as `OK` or `NOT_FOUND`. */
  readonly status: string;
  readonly seconds: number;
}

/** A call in hand: who calls, and what a method needs beside its message. */
export interface Call {
  readonly context: CallContext;
  /** Aborted when the caller has gone or its deadline has passed. */
  readonly signal: AbortSignal;
  /** Sent after an answer. */
  readonly trailers: Metadata;
}

export interface Method<Request, Response> {
  readonly service: string;
  readonly name: string;
  readonly permission: PermissionName;
  /** What of a message makes its key its own: one key may be used once for each. */
  readonly place: (request: Request) => string;
  handle(request: Request, call: Call): Promise<Response>;
}

const BEARER = /^bearer ([A-Za-z0-9._~+/=-]{1,4096})$/i;
const KEY = /^[A-Za-z0-9._:-]{1,128}$/;
const TRACE_ID = /^[A-Za-z0-9._-]{1,64}$/;
const READERS = ['operator', 'auditor', 'admin'] as const;

/** Statuses by error code (spec/negotiation-room.md, "Status codes"); every other is a fault inside. */
const STATUSES: Partial<Readonly<Record<ErrorCode, status>>> = {
  INVALID_INPUT: status.INVALID_ARGUMENT,
  PRIVACY_BLOCKED: status.INVALID_ARGUMENT,
  UNAUTHENTICATED: status.UNAUTHENTICATED,
  PERMISSION_DENIED: status.PERMISSION_DENIED,
  NOT_FOUND: status.NOT_FOUND,
  CONFLICT: status.ALREADY_EXISTS,
  IDEMPOTENCY_KEY_REUSED: status.ALREADY_EXISTS,
  RATE_LIMITED: status.RESOURCE_EXHAUSTED,
  STORAGE_FULL: status.RESOURCE_EXHAUSTED,
  WAIT_TIMEOUT: status.DEADLINE_EXCEEDED,
  DATA_UNAVAILABLE: status.UNAVAILABLE,
  INTEGRITY_FAILURE: status.DATA_LOSS,
};

/** A method as the library calls it: who calls first, then the method, then one answer whatever was thrown. */
export function served<Request, Response>(parts: CallParts, method: Method<Request, Response>) {
  return (call: ServerUnaryCall<Request, Response>, answer: sendUnaryData<Response>): void => {
    void answered(parts, method, call, answer);
  };
}

async function answered<Request, Response>(
  parts: CallParts,
  method: Method<Request, Response>,
  wire: ServerUnaryCall<Request, Response>,
  answer: sendUnaryData<Response>,
): Promise<void> {
  const begun = performance.now();
  let ended: status = status.OK;
  let trace = '-';
  try {
    const caller = await callerOf(parts, wire);
    if (CROWDED in (wire.request as object))
      throw new MaceError('INVALID_INPUT', `at most ${MAX_FIELDS} fields a message`);
    const context = contextOf(parts, method, wire, caller);
    trace = context.traceId;
    const trailers = new Metadata();
    trailers.set('x-trace-id', trace);
    const response = await method.handle(wire.request, new CallInHand(context, trailers, wire));
    answer(null, response, trailers);
  } catch (thrown) {
    if (thrown instanceof CallGone) {
      ended = status.CANCELLED;
      answer({ code: ended, details: 'the caller has gone' });
    } else {
      const { error, fault } = parts.failureOf(thrown);
      if (fault) parts.onFault(thrown, trace);
      ended = STATUSES[error.code] ?? status.INTERNAL;
      answer({ code: ended, details: parts.wordsOf(error), metadata: errorTrailers(error, trace) });
    }
  } finally {
    const { service, name } = method;
    const seconds = (performance.now() - begun) / 1000;
    parts.onCall({ service, method: name, status: status[ended], seconds });
  }
}

/** Its signal is made for who asks for it: the library tells of the end of every call, and most methods wait for nobody. */
class CallInHand implements Call {
  private gone: AbortController | undefined;

  constructor(
    readonly context: CallContext,
    readonly trailers: Metadata,
    private readonly wire: ServerUnaryCall<unknown, unknown>,
  ) {}

  get signal(): AbortSignal {
    return (this.gone ??= this.listen()).signal;
  }

  private listen(): AbortController {
    const gone = new AbortController();
    this.wire.on('cancelled', () => gone.abort(new CallGone()));
    // It may have gone before it was listened to.
    if (this.wire.cancelled) gone.abort(new CallGone());
    return gone;
  }
}

/** Nobody waits for the answer any more. */
class CallGone extends Error {
  constructor() {
    super('the caller has gone');
    this.name = 'CallGone';
  }
}

function errorTrailers({ code }: MaceError, trace: string): Metadata {
  const trailers = new Metadata();
  trailers.set('mace-error-code', code);
  if (trace !== '-') trailers.set('x-trace-id', trace);
  return trailers;
}

/** @throws MaceError UNAUTHENTICATED; RATE_LIMITED */
async function callerOf(
  { authenticator, rateLimits }: CallParts,
  wire: Pick<ServerUnaryCall<unknown, unknown>, 'metadata' | 'getPeer'>,
): Promise<Principal & { readonly rawId: string }> {
  const now = Date.now();
  const given = wire.metadata.get('authorization');
  const token = given.length === 1 ? BEARER.exec(String(given[0]))?.[1] : undefined;
  try {
    if (token === undefined)
      throw new MaceError('UNAUTHENTICATED', 'metadata authorization: once, the word Bearer, a space and a token');
    const principal = authenticator.seen(token, now) ?? (await authenticator.authenticate(token, now));
    const { userId } = await authenticator.claimsOf(token, now);
    rateLimits?.takeOfPrincipal(principal.id, now);
    return { ...principal, rawId: userId };
  } catch (error) {
    // Who shows no token that is taken counts by address, as over HTTP.
    if (error instanceof MaceError && error.code === 'UNAUTHENTICATED')
      rateLimits?.takeOfAddress(addressOf(wire.getPeer()), now);
    throw error;
  }
}

/** `127.0.0.1:4711` or `[::1]:4711` without the port. */
function addressOf(peer: string): string {
  return peer.replace(/:[0-9]+$/, '').replace(/^\[|\]$/g, '');
}

function contextOf<Request>(
  parts: CallParts,
  method: Method<Request, never> | Method<Request, unknown>,
  wire: ServerUnaryCall<Request, unknown>,
  principal: Principal & { readonly rawId: string },
): CallContext {
  const { metadata } = wire;
  const key = metadataText(metadata, 'x-idempotency-key', KEY, '1-128 characters of A-Za-z0-9._:-');
  if (key !== null && parts.isPersonal(key))
    throw new MaceError('PRIVACY_BLOCKED', 'x-idempotency-key: an opaque id, without personal data');
  const path = `/${method.service}/${method.name}/${method.place(wire.request)}`;
  const seed =
    key === null ? systemSeed('negotiation-call', randomUUID()) : commandSeed(principal.id, 'GRPC', path, key);
  const given = metadataText(metadata, 'x-trace-id', TRACE_ID, '1-64 characters of A-Za-z0-9._-');
  const isKept = given !== null && !parts.isPersonal(given);
  return {
    caller: callerFor(principal, method.permission, parts),
    seed,
    traceId: isKept ? given : traceId(seed),
    key,
    now: Date.now(),
  };
}

/** The role is asked for where a method decides on it: what is wrong with a message comes before who may send it. */
function callerFor(
  principal: Principal & { readonly rawId: string },
  permission: PermissionName,
  { denials }: CallParts,
): Caller {
  return {
    rawId: principal.rawId,
    principal: principal.id,
    get role() {
      try {
        return authorize(principal, permission);
      } catch (error) {
        if (error instanceof MaceError) denials.count(principal.id, permission, error.code);
        throw error;
      }
    },
    seesAll: READERS.some((role) => hasRole(principal, role)),
  };
}

/** @throws MaceError INVALID_INPUT for one of another form, or given twice */
function metadataText(metadata: Metadata, name: string, form: RegExp, allowed: string): string | null {
  const given = metadata.get(name);
  if (given.length === 0) return null;
  const [text] = given;
  if (given.length > 1 || typeof text !== 'string' || !form.test(text))
    throw new MaceError('INVALID_INPUT', `metadata ${name}: once, ${allowed}`);
  return text;
}
