import { ApiError, ForeignAnswerError, isEnvelope, NoAnswerError, REMEDIES } from './errors.js';
import { type SseMessage, sseMessages } from './sse.js';
import type { StreamTransport, WireStream } from './transport.js';
import { growingPause, paused, pauseAfter } from './tries.js';
import type { ErrorCode } from './types.js';

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
  /** How often it is tried to come back before a connection holds again. */
  readonly tries: number;
  /** How long nothing may come, signs of life included, before a connection is given up, ms. */
  readonly idleMs: number;
}

const RETRY_MS = 2_000;

/**
 * Follows a stream of server-sent events over as many connections as it takes: each goes on after the last event of the
 * one before, so that none is missed and none comes twice. Ends with the event `closed` where coming again would change
 * nothing.
 * @param open one connection, which goes on after the id that it is given
 * @throws ApiError where the server refuses, NoAnswerError where it stays away, ForeignAnswerError; the signal's reason
 */
export async function* followed(
  open: (after: string | undefined, signal: AbortSignal) => ReturnType<StreamTransport>,
  { operation, after, signal, tries, idleMs }: Followed,
): AsyncGenerator<FollowedEvent, void> {
  let at = after;
  let retryMs = RETRY_MS;
  for (let failed = 0; ;) {
    signal.throwIfAborted();
    const broken = new AbortController();
    let cause: unknown;
    let pause: number | undefined;
    try {
      const answer = await open(at, AbortSignal.any([signal, broken.signal]));
      if (answer.status !== 200) pause = await pauseOrRefuse(answer, failed + 1, tries);
      else {
        for await (const message of sseMessages(watched(answer.body, idleMs, broken))) {
          failed = 0;
          at = message.id ?? at;
          retryMs = message.retryMs ?? retryMs;
          if (message.data === undefined) continue;
          const event = eventOf(message, at, operation);
          if (isToBeContinued(event)) break;
          yield event;
          if (event.event === 'closed') return;
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
    failed += 1;
    if (failed >= tries) throw new NoAnswerError(`${operation}: the stream does not come back`, undefined, { cause });
    await paused(pause ?? growingPause(failed), signal);
  }
}

/** Gives a connection up on which nothing comes any more, signs of life neither. */
async function* watched(
  body: AsyncIterable<Uint8Array>,
  idleMs: number,
  broken: AbortController,
): AsyncGenerator<Uint8Array, void> {
  const silent = (): NodeJS.Timeout => setTimeout(() => broken.abort(new Error('the connection is silent')), idleMs);
  let timer = silent();
  try {
    for await (const chunk of body) {
      // Not while whoever follows is busy with what came.
      clearTimeout(timer);
      yield chunk;
      timer = silent();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** @returns how long to wait before the next try @throws ApiError, ForeignAnswerError */
async function pauseOrRefuse({ status, headers, body }: WireStream, tried: number, tries: number): Promise<number> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const envelope = envelopeIn(Buffer.concat(chunks).toString('utf8'));
  if (!isEnvelope(envelope)) throw new ForeignAnswerError(status, 'neither a stream nor an envelope');
  const pause = pauseAfter(envelope, headers['retry-after'], tried);
  if (pause === undefined || tried >= tries) throw new ApiError(envelope);
  return pause;
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
