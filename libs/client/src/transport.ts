/** How a request reaches a server and its answer comes back; a client speaks through one. */

export interface WireRequest {
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Ends the try. */
  readonly signal: AbortSignal;
}

export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An answer whose content is read as it comes. */
export interface WireStream extends Omit<WireAnswer, 'body'> {
  /** Read at most once; whoever stops reading gives the connection up. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** @throws whatever kept the answer away, `signal.reason` where that ended the try */
export type Transport = (request: WireRequest) => Promise<WireAnswer>;

/** The same for what has no end. */
export type StreamTransport = (request: WireRequest) => Promise<WireStream>;

/** Answers of which each is read to its end. */
export function whole(stream: StreamTransport): Transport {
  return async (request) => {
    const { body, ...answer } = await stream(request);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return { ...answer, body: joined(chunks) };
  };
}

/** Bytes that came in parts, as one. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Over HTTP or HTTPS. A redirect is a fault: the token is for this origin alone. */
export function fetchTransport(baseUrl: string): Transport {
  return whole(fetchStream(baseUrl));
}

/** The same for what has no end. */
export function fetchStream(baseUrl: string): StreamTransport {
  const base = new URL(baseUrl);
  return async ({ method, target, headers, body, signal }) => {
    const url = new URL(base.origin + base.pathname.replace(/\/$/, '') + target);
    const given = { method, headers: { ...headers }, signal, redirect: 'error' as const };
    const answer = await fetch(url, body === undefined ? given : { ...given, body });
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: chunksOf(answer.body),
    };
  };
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void> {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}
