import { randomUUID } from 'node:crypto';

import { Metadata, type sendUnaryData, type ServerUnaryCall, status } from '@grpc/grpc-js';

import { authorize, type Denials, hasRole, type PermissionName, type Refusee } from '#lib/access';
import { commandSeed, MaceError, systemSeed, traceId } from '#lib/kernel';
import type { CallContext, Caller } from '#lib/negotiation';

import type { KnownCaller } from './admission.js';
import { CROWDED, MAX_FIELDS } from './proto/crowded.js';
import { refusalOf, type Refusals } from './refusals.js';

/** What every call is held to, whichever method it is of. */
export interface CallParts extends Refusals {
  /** Who was let in with this metadata. @throws MaceError UNAUTHENTICATED */
  readonly callerOf: (metadata: Metadata) => KnownCaller;
  readonly denials: Denials;
  readonly isPersonal: (text: string) => boolean;
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

const KEY = /^[A-Za-z0-9._:-]{1,128}$/;
const TRACE_ID = /^[A-Za-z0-9._-]{1,64}$/;
const READERS = ['operator', 'auditor', 'admin'] as const;

/** A method as the library calls it: one answer, whatever was thrown. */
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
  const { service, name } = method;
  let trace = '-';
  let who: Refusee = { address: '' };
  try {
    const caller = parts.callerOf(wire.metadata);
    who = { principal: caller.id };
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
      const refusal = refusalOf(parts, thrown, { who, service, method: name, trace });
      ended = refusal.code;
      answer(refusal);
    }
  } finally {
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

function contextOf<Request>(
  parts: CallParts,
  method: Method<Request, never> | Method<Request, unknown>,
  wire: ServerUnaryCall<Request, unknown>,
  principal: KnownCaller,
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
function callerFor(principal: KnownCaller, permission: PermissionName, { denials }: CallParts): Caller {
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
