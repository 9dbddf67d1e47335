import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import type { Answer, Witness } from './witness.js';

const MAX_BODY = 1024 * 1024;

/** The witness over HTTP. */
export function witnessServer(witness: Witness, onFault: (fault: Error) => void): Server {
  const server = createServer((request, response) => {
    answer(witness, request).then(
      ({ status, type, text }) => respond(response, status, type, text),
      (fault: Error) => {
        onFault(fault);
        respond(response, 500, 'text/plain; charset=utf-8', 'the witness has failed\n');
      },
    );
  });
  server.requestTimeout = 10_000;
  return server;
}

async function answer(
  witness: Witness,
  request: IncomingMessage,
): Promise<Omit<Answer, 'status'> & { status: number }> {
  const { method, url = '/' } = request;
  const post = method === 'POST' ? POSTS[url] : undefined;
  if (post) {
    const body = await bodyOf(request);
    return body === null ? plain(413, 'the body is too large or no UTF-8') : post(witness, body);
  }
  const [, hash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(url) ?? [];
  if (method === 'GET' && hash !== undefined) return witness.checkpoint(hash);
  return plain(404, 'POST /add-checkpoint, GET /<sha256 of the origin>/checkpoint');
}

const POSTS: Readonly<Record<string, (witness: Witness, body: string) => Answer>> = {
  '/add-checkpoint': (witness, body) => witness.addCheckpoint(body),
  '/erased-keys': (witness, body) => witness.addErasedKeys(body),
  '/erased-keys/question': (witness, body) => witness.erasedKeys(body),
};

/** Null for a body that is too large, or no UTF-8. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY) return null;
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    return null;
  }
}

function respond(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

function plain(status: number, text: string): { status: number; type: 'text/plain; charset=utf-8'; text: string } {
  return { status, type: 'text/plain; charset=utf-8', text: `${text}\n` };
}
