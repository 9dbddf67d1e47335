import { type IncomingMessage, request as httpRequest } from 'node:http';

import { type StreamTransport, type Transport, whole } from './transport.js';

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
