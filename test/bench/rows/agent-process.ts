import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** `agent-process.js`: answers after as many milliseconds as the path says and says how long it took; /hang never answers. */
export interface AgentReady {
  readonly kind: 'ready';
  readonly port: number;
}

const server = createServer(async (request, response) => {
  const began = performance.now();
  for await (const _ of request);
  if (request.url === '/hang') return;
  // From half of it to half more: what comes all at once waits for itself.
  await sleep(Number(request.url!.slice(1)) * (0.5 + Math.random()));
  const text = `It took ${performance.now() - began} ms.`;
  response.end(JSON.stringify({ outcome: 'answer', text, confidence: 0.9 }));
});
server.listen(0, '127.0.0.1', () => {
  process.send!({ kind: 'ready', port: (server.address() as AddressInfo).port } satisfies AgentReady);
});
