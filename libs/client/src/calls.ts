import { ForeignAnswerError, isEnvelope, NoAnswerError, reasonOf, UnverifiedAnswerError } from './errors.js';
import { type FollowedEvent, followed } from './follow.js';
import type { ClientOptions, MaceClient, Result, UntypedAnswer, UntypedCall, UntypedFollow } from './interface.js';
import { sentTarget, targetOf } from './target.js';
import {
  fetchStream,
  fetchTransport,
  type StreamTransport,
  type Transport,
  type WireAnswer,
  type WireRequest,
} from './transport.js';
import { growingPause, maySendAgain, paused, pauseAfter } from './tries.js';
import type { TrustedServer } from './trusted-server.js';
import { unwrap } from './unwrap.js';
import type {
  AnswerOf,
  ArgumentsOf,
  CallOptions,
  ErrorOf,
  FollowOptions,
  FollowRequest,
  ItemOf,
  ListName,
  OperationName,
  RequestOf,
  StreamName,
} from './types.js';

const TIMEOUT_MS = 60_000;
const TRIES = 4;
/** Whoever follows waits a minute and a half for a server that is started anew. */
const FOLLOW_TRIES = 30;
/** Four signs of life that did not come. */
const IDLE_MS = 60_000;
const KEYED: ReadonlySet<string> = new Set(['POST', 'PUT', 'DELETE']);

interface Request extends CallOptions {
  readonly path?: never;
  readonly query?: never;
  readonly body?: unknown;
}

/** What every client is made of; it uses nothing that a browser lacks. */
export class Calls implements MaceClient {
  private readonly transport: Transport;
  private readonly stream: StreamTransport | undefined;

  /** @param trusted what `options.verify` stands for */
  constructor(
    private readonly options: ClientOptions,
    private readonly trusted?: TrustedServer,
  ) {
    const { server } = options;
    this.transport = typeof server === 'string' ? fetchTransport(server) : server;
    this.stream = options.stream ?? (typeof server === 'string' ? fetchStream(server) : undefined);
  }

  async call<O extends OperationName>(operation: O, ...[request]: ArgumentsOf<O>): Promise<Result<O>> {
    const [method = '', path = ''] = operation.split(' ');
    const { path: parts, query, ...rest } = (request ?? {}) as Request;
    const { body, ...facts } = await this.sendAs(operation, { ...rest, method, target: targetOf(path, parts, query) });
    if (facts.status < 400) return { ...facts, ok: true, body: body as AnswerOf<O> };
    return { ...facts, ok: false, error: body as ErrorOf<O> };
  }

  pages<O extends ListName>(operation: O, ...[request]: ArgumentsOf<O>): AsyncGenerator<AnswerOf<O>, void> {
    return this.followed(operation, request) as AsyncGenerator<unknown> as AsyncGenerator<AnswerOf<O>, void>;
  }

  private async *followed(operation: ListName, request: object | undefined): AsyncGenerator<AnswerOf<ListName>, void> {
    let cursor: string | null | undefined;
    do {
      const { query, ...rest } = (request ?? {}) as { readonly query?: object };
      const asked = { ...rest, query: { ...query, ...(cursor === undefined ? {} : { cursor }) } };
      const page = unwrap(await this.call(operation, asked as RequestOf<ListName>));
      // Who writes no TypeScript may name anything.
      if (!Array.isArray(page.items))
        throw new TypeError(`${operation} is no list: an operation whose answers have items, such as GET /jobs`);
      yield page;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  async *items<O extends ListName>(operation: O, ...[request]: ArgumentsOf<O>): AsyncGenerator<ItemOf<O>, void> {
    for await (const { items } of this.followed(operation, request))
      yield* items as readonly unknown[] as readonly ItemOf<O>[];
  }

  follow<O extends StreamName>(operation: O, request: FollowRequest<O>): AsyncGenerator<FollowedEvent, void> {
    const {
      path: parts,
      query,
      ...options
    } = request as FollowOptions & { readonly path?: never; readonly query?: never };
    return this.followTarget(targetOf(operation.split(' ')[1]!, parts, query), options);
  }

  followTarget(
    target: string,
    { after, signal, traceId, headers, onState, onId }: UntypedFollow,
  ): AsyncGenerator<FollowedEvent, void> {
    const { stream } = this;
    if (!stream) throw new Error('streams are followed over `stream`, beside a transport of one’s own');
    const open = async (at: string | undefined, until: AbortSignal): ReturnType<StreamTransport> => {
      const given = { accept: 'text/event-stream', 'last-event-id': at, 'x-trace-id': traceId, ...headers };
      const call = { method: 'GET', target, body: undefined, headers: headersOf(given), signal: until };
      return stream(await this.authorized(call));
    };
    const tries = this.options.tries ?? FOLLOW_TRIES;
    const bounds = { tries, idleMs: IDLE_MS, onState, onId, signal: signal ?? new AbortController().signal };
    return followed(open, { operation: `GET ${target.split('?')[0]}`, after, ...bounds });
  }

  send(call: UntypedCall): Promise<UntypedAnswer> {
    return this.sendAs(`${call.method} ${call.target.split('?')[0]}`, call);
  }

  private async sendAs(operation: string, call: UntypedCall): Promise<UntypedAnswer> {
    const key = KEYED.has(call.method) ? (call.idempotencyKey ?? drawn()) : undefined;
    const timeoutMs = call.timeoutMs ?? this.options.timeoutMs ?? TIMEOUT_MS;
    const timeout = AbortSignal.timeout(timeoutMs);
    const end = performance.now() + timeoutMs;
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
    const request = wireRequest(call, key, signal);
    try {
      return { ...(await this.tried(operation, request, end)), idempotencyKey: key };
    } catch (error) {
      if (error !== timeout.reason || call.signal?.aborted) throw error;
      throw new NoAnswerError(`${operation}: no answer in time`, key, { cause: error });
    }
  }

  /** @param end until when it is tried, on the clock of `performance` */
  private async tried(operation: string, request: WireRequest, end: number): Promise<UntypedAnswer> {
    const tries = this.options.tries ?? TRIES;
    for (let tried = 1; ; tried++) {
      request.signal.throwIfAborted();
      const wait = (ms: number): Promise<void> => paused(ms, request.signal);
      let wire: WireAnswer;
      try {
        const given = await this.authorized(request);
        wire = await (this.trusted ? this.verified(this.trusted, given) : this.transport(given));
      } catch (error) {
        request.signal.throwIfAborted();
        if (error instanceof UnverifiedAnswerError) throw error;
        const key = request.headers['idempotency-key'];
        if (tried >= tries || !maySendAgain(operation))
          throw new NoAnswerError(`${operation}: no answer (${reasonOf(error)})`, key, { cause: error });
        await wait(growingPause(tried));
        continue;
      }
      const answer = parsed(wire);
      const ms =
        isEnvelope(answer.body) && answer.status >= 400 && tried < tries
          ? pauseAfter(answer.body, wire.headers['retry-after'], tried)
          : undefined;
      // An answer that says to come later than the call's time lasts is still the answer.
      if (ms === undefined || performance.now() + ms > end) return answer;
      await wait(ms);
    }
  }

  private async authorized(request: WireRequest): Promise<WireRequest> {
    const { token } = this.options;
    if (token === undefined) return request;
    const value = typeof token === 'string' ? token : await unlessAborted(token(), request.signal);
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${value}` } };
  }

  /** Sends it with a nonce, so that no answer to another request is taken for its own. */
  private async verified(trusted: TrustedServer, request: WireRequest): Promise<WireAnswer> {
    const nonce = drawn();
    const sentAt = Date.now();
    const headers = { ...request.headers, 'accept-signature': trusted.asks(nonce) };
    const answer = await this.transport({ ...request, headers });
    // The nonce alone tells requests apart: a server draws a trace id of its own in place of one that it does not take.
    const asked = { method: request.method, target: request.target, nonce };
    const received = { ...answer, headers: Object.entries(answer.headers), request: asked };
    await unlessAborted(trusted.verify(received, sentAt), request.signal);
    return answer;
  }
}

/** What comes, unless the signal is first: who gives it may never answer. @throws `signal.reason` */
async function unlessAborted<T>(coming: T | Promise<T>, signal: AbortSignal): Promise<T> {
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, failed) => {
    abort = () => failed(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([coming, aborted]);
  } finally {
    if (abort) signal.removeEventListener('abort', abort);
  }
}

function wireRequest(call: UntypedCall, key: string | undefined, signal: AbortSignal): WireRequest {
  const headers = headersOf({
    accept: 'application/json',
    'idempotency-key': key,
    'content-type': call.body === undefined ? undefined : 'application/json',
    'x-trace-id': call.traceId,
    'if-match': call.ifMatch,
    prefer: call.respondAsync ? 'respond-async' : undefined,
    ...call.headers,
  });
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  return { method: call.method, target: sentTarget(call.target), headers, body, signal };
}

/** A UUID. `randomUUID` is there for pages alone that came over TLS, or from this machine. */
function drawn(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes.set([(bytes[6]! & 0x0f) | 0x40, bytes[7]!, (bytes[8]! & 0x3f) | 0x80], 6);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function headersOf(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined),
  );
}

/** @throws ForeignAnswerError */
function parsed({ status, headers, body }: WireAnswer): UntypedAnswer {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const content = (headers['content-type'] ?? '').includes('json') ? jsonOf(text, status) : text;
  if (status >= 400 && !isEnvelope(content)) throw new ForeignAnswerError(status, 'an error that has no envelope');
  const facts = { status, headers, etag: headers['etag'], traceId: headers['x-trace-id'], idempotencyKey: undefined };
  return { ...facts, body: content };
}

function jsonOf(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ForeignAnswerError(status, 'content that is not the JSON it is said to be');
  }
}
