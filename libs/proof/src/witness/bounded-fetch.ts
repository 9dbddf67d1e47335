import type { ReadableStream } from 'node:stream/web';

/** An answer over HTTP that is too long, or was not there in time. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

export interface BoundedRequest {
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  /** Until the last byte of the answer. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Ends it at once. */
  readonly signal: AbortSignal;
}

/**
 * An answer as text, of at most so many bytes and in at most so much time, body included. A timer of our own: a signal
 * that `AbortSignal.any` makes of others may be collected, and then ends nothing.
 * @throws AnswerError, and what fetch throws
 */
export async function boundedFetch(url: string, request: BoundedRequest): Promise<{ status: number; text: string }> {
  const { method, body, timeoutMs, maxBytes, signal } = request;
  const ended = new AbortController();
  const end = (): void => ended.abort(new AnswerError('was told to stop'));
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  const late = new AnswerError(`has not answered within ${timeoutMs} ms`);
  const timer = setTimeout(() => ended.abort(late), timeoutMs);
  try {
    const sent = body === undefined ? {} : { body };
    const answer = await fetch(url, { method, signal: ended.signal, redirect: 'error', ...sent });
    return { status: answer.status, text: await textOf(answer, maxBytes, ended.signal) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

async function textOf(answer: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  if (!answer.body) return '';
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const ended = new Promise<never>((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail, { once: true });
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), ended]);
      if (done) return Buffer.concat(chunks).toString();
      bytes += value.length;
      if (bytes > maxBytes) throw new AnswerError(`answers with more than ${maxBytes} bytes`);
      chunks.push(value);
    }
  } finally {
    // What comes after this is of no interest, nor how the other side takes it.
    reader.cancel().catch(() => undefined);
    ended.catch(() => undefined);
  }
}
