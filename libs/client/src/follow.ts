import { ApiError, ForeignAnswerError, isEnvelope, NoAnswerError, reasonOf, REMEDIES } from './errors.js';
import { type SseMessage, sseMessages } from './sse.js';
import { joined, type StreamTransport, type WireStream } from './transport.js';
import { growingPause, paused, pauseAfter } from './tries.js';
import type { ErrorCode, FollowState } from './types.js';

/** One event of a stream that is followed. */
export interface FollowedEvent {
  /** `message` where the server gives it no name; `closed` is the last. */
  readonly event: string;
  /** Who has it goes on `after` this. */
  readonly id: string;
  readonly data: unknown;
}

/** What is followed, and from where on. */
export interface Followed {
  /** `GET /events/tail?…`, for errors. */
  readonly operation: string;
  /** The id of what was had last; from now on where absent. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
  /** How often it is tried to come back before an event comes again, or a connection holds. */
  readonly tries: number;
  /** How long nothing may come, signs of life and the answer's beginning included, before a connection is given up, ms. */
  readonly idleMs: number;
  readonly onState?: ((state: FollowState) => void) | undefined;
  readonly onId?: ((id: string) => void) | undefined;
}

const RETRY_MS = 2_000;

/** An error of more bytes than this is none of ours. */
const MAX_ERROR = 1024 * 1024;

/** What a proxy answers by itself while the server behind it is away. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** What a header carries as it is. */
const SENDABLE = /^[\x20-\x7e]*$/;

/**
 * Follows a stream of server-sent events over as many connections as it takes: each goes on after the last event of the
 * one before, so that none is missed and none comes twice. Ends with the event `closed` where coming again would change
 * nothing.
 * @param open one connection, which goes on after the id that it is given
 * @throws ApiError where the server refuses, NoAnswerError where it stays away, ForeignAnswerError, TypeError for an
 *   `after` that is no id; the signal's reason
 */
export async function* followed(
  open: (after: string | undefined, signal: AbortSignal) => ReturnType<StreamTransport>,
  { operation, after, signal, tries, idleMs, onState, onId }: Followed,
): AsyncGenerator<FollowedEvent, void> {
  if (after !== undefined && !SENDABLE.test(after))
    throw new TypeError(`${operation}: ${JSON.stringify(after)} is no id of an event`);
  let at = after;
  let retryMs = RETRY_MS;
  for (let failed = 0; ;) {
    signal.throwIfAborted();
    const broken = new AbortController();
    let cause: unknown = new Error('without a last word');
    let pause: number | undefined;
    let isQuiet = false;
    try {
      const answer = await headed(open(at, AbortSignal.any([signal, broken.signal])), idleMs, broken);
      const body = watched(answer.body, idleMs, broken);
      if (answer.status !== 200) pause = await pauseOrRefuse({ ...answer, body }, failed + 1, tries);
      else {
        const begun = performance.now();
        onState?.({ state: 'open' });
        for await (const message of sseMessages(body)) {
          if (performance.now() - begun > idleMs) failed = 0;
          at = sendable(message.id, operation) ?? at;
          retryMs = message.retryMs ?? retryMs;
          if (message.data === undefined) {
            if (message.id !== undefined) onId?.(message.id);
            // Every connection is opened with how long to wait, also one that nothing can be read on.
            isQuiet ||= message.retryMs === undefined;
            continue;
          }
          const event = eventOf(message, at, operation);
          if (isToBeContinued(event)) {
            isQuiet = false;
            cause = new Error((event.data as { readonly reason?: string }).reason);
            break;
          }
          yield event;
          if (event.event === 'closed') return;
          failed = 0;
        }
        pause = retryMs;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError || error instanceof ForeignAnswerError) throw error;
      cause = error;
    } finally {
      broken.abort();
    }
    failed = isQuiet ? 1 : failed + 1;
    if (failed >= tries) throw neverBack(operation, cause);
    const pauseMs = pause ?? growingPause(failed);
    onState?.({ state: 'waiting', reason: reasonOf(cause), pauseMs });
    await paused(pauseMs, signal);
  }
}

/** The answer's beginning, where it comes in time. */
async function headed(answer: Promise<WireStream>, idleMs: number, broken: AbortController): Promise<WireStream> {
  const timer = silence(idleMs, broken);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}

/** Gives a connection up on which nothing comes any more, signs of life neither. */
async function* watched(
  body: AsyncIterable<Uint8Array>,
  idleMs: number,
  broken: AbortController,
): AsyncGenerator<Uint8Array, void> {
  let timer = silence(idleMs, broken);
  try {
    for await (const chunk of body) {
      // Not while whoever follows is busy with what came.
      clearTimeout(timer);
      yield chunk;
      timer = silence(idleMs, broken);
    }
  } finally {
    clearTimeout(timer);
  }
}

function silence(idleMs: number, broken: AbortController): ReturnType<typeof setTimeout> {
  return setTimeout(() => broken.abort(new Error('the connection is silent')), idleMs);
}

function neverBack(operation: string, cause: unknown): NoAnswerError {
  return new NoAnswerError(`${operation}: the stream does not come back (${reasonOf(cause)})`, undefined, { cause });
}

/** An id that can be sent back. @throws ForeignAnswerError */
function sendable(id: string | undefined, operation: string): string | undefined {
  if (id === undefined || SENDABLE.test(id)) return id;
  throw new ForeignAnswerError(200, `${operation}: ${JSON.stringify(id)} is no id of an event`);
}

/** @returns how long to wait before the next try @throws ApiError, ForeignAnswerError */
async function pauseOrRefuse({ status, headers, body }: WireStream, tried: number, tries: number): Promise<number> {
  const envelope = envelopeIn(await textOf(body, status));
  if (!isEnvelope(envelope)) {
    if (AWAY.has(status) && tried < tries) return growingPause(tried);
    throw new ForeignAnswerError(status, 'neither a stream nor an envelope');
  }
  const pause = pauseAfter(envelope, headers['retry-after'], tried);
  if (pause === undefined || tried >= tries) throw new ApiError(envelope);
  return pause;
}

/** @throws ForeignAnswerError */
async function textOf(body: AsyncIterable<Uint8Array>, status: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_ERROR) throw new ForeignAnswerError(status, 'an error without end');
    chunks.push(chunk);
  }
  return new TextDecoder().decode(joined(chunks));
}

function envelopeIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function eventOf({ event, data }: SseMessage, id: string | undefined, operation: string): FollowedEvent {
  try {
    return { event, id: id ?? '', data: JSON.parse(data!) };
  } catch {
    throw new ForeignAnswerError(200, `${operation}: an event that is not the JSON it is said to be`);
  }
}

/** An end that is none: another process, or the same one a moment later, goes on. */
function isToBeContinued({ event, data }: FollowedEvent): boolean {
  if (event !== 'closed') return event === 'dropped';
  const { error_code: code } = (data ?? {}) as { readonly error_code?: ErrorCode };
  return code !== undefined && REMEDIES[code] === 'again';
}
