import { type IncomingMessage, request as httpRequest } from 'node:http';

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
function whole(stream: StreamTransport): Transport {
  return async (request) => {
    const { body, ...answer } = await stream(request);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return { ...answer, body: Buffer.concat(chunks) };
  };
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
      body: answer.body ?? new Blob([]).stream(),
    };
  };
}

/** Over the local socket that a server keeps in its data folder; a request there needs no token. */
export function socketTransport(socketPath: string): Transport {
  return whole(socketStream(socketPath));
}

/** The same for what has no end. */
export function socketStream(socketPath: string): StreamTransport {
  return ({ method, target, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      // A connection that was kept may have been closed at the other end by the next call.
      const options = { socketPath, agent: false as const, method, path: target, signal };
      const request = httpRequest({ ...options, headers: { host: 'mace', ...headers, ...length } }, (response) =>
        resolve({ status: response.statusCode ?? 0, headers: single(response.headers), body: read(response, signal) }),
      );
      request.on('error', (error) => reject(signal.aborted ? (signal.reason as Error) : error));
      request.end(body);
    });
}

/** @throws `signal.reason` where that ended it */
async function* read(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of response) yield chunk as Uint8Array;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function single(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
