import { request as httpRequest } from 'node:http';

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

/** @throws whatever kept the answer away, `signal.reason` where that ended the try */
export type Transport = (request: WireRequest) => Promise<WireAnswer>;

/** Over HTTP or HTTPS. A redirect is a fault: the token is for this origin alone. */
export function fetchTransport(baseUrl: string): Transport {
  const base = new URL(baseUrl);
  return async ({ method, target, headers, body, signal }) => {
    const url = new URL(base.pathname.replace(/\/$/, '') + target, base);
    const given = { method, headers: { ...headers }, signal, redirect: 'error' as const };
    const answer = await fetch(url, body === undefined ? given : { ...given, body });
    const content = new Uint8Array(await answer.arrayBuffer());
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: content };
  };
}

/** Over the local socket that a server keeps in its data folder; a request there needs no token. */
export function socketTransport(socketPath: string): Transport {
  return ({ method, target, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      // A connection that was kept may have been closed at the other end by the next call.
      const options = { socketPath, agent: false as const, method, path: target, signal };
      const request = httpRequest({ ...options, headers: { host: 'mace', ...headers, ...length } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: single(response.headers), body: Buffer.concat(chunks) }),
        );
      });
      request.on('error', (error) => reject(signal.aborted ? (signal.reason as Error) : error));
      request.end(body);
    });
}

function single(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
