/** More than any answer of 16,000 characters takes, escapes and envelope included; what is larger is not read on. */
export const MAX_BODY_BYTES = 1_048_576;

/** A body that goes on beyond the limit. */
export class BodyTooLargeError extends Error {
  constructor() {
    super(`a body of more than ${MAX_BODY_BYTES} bytes`);
    this.name = 'BodyTooLargeError';
  }
}

/**
 * `fetch` that reads the whole body itself, so that memory is bounded, and follows no redirect, so that no key and no
 * question goes to another place. It ends with its signal: `fetch` alone holds on to a signal so weakly that a garbage
 * collection while the body arrives can let an abort go unheard.
 */
export async function boundedFetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const { signal } = init;
  const abort = new Abort(signal ?? null);
  try {
    const response = await abort.or(fetch(url, { ...init, redirect: 'error' }));
    const body = response.body ? await readAll(response.body, abort) : null;
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  } finally {
    abort.clear();
  }
}

async function readAll(stream: ReadableStream<Uint8Array>, abort: Abort): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await abort.or(reader.read());
      if (done) return Buffer.concat(chunks);
      size += value.length;
      if (size > MAX_BODY_BYTES) throw new BodyTooLargeError();
      chunks.push(value);
    }
  } catch (error) {
    // Lets go of the connection; what the stream has to say of that changes nothing.
    reader.cancel().catch(() => undefined);
    throw error;
  }
}

/** A signal that promises can be raced against. */
class Abort {
  private readonly aborted: Promise<never>;
  private reject: (reason: unknown) => void = () => undefined;

  constructor(private readonly signal: AbortSignal | null) {
    this.aborted = new Promise<never>((_, reject) => (this.reject = reject));
    this.aborted.catch(() => undefined);
    signal?.addEventListener('abort', this.onAbort);
    if (signal?.aborted) this.onAbort();
  }

  or<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.aborted]);
  }

  clear(): void {
    this.signal?.removeEventListener('abort', this.onAbort);
  }

  private readonly onAbort = (): void => this.reject(this.signal?.reason);
}
