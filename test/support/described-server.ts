import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { placeForSocket } from '../../apps/api/src/edge/local-address.js';

/**
 * A server on a data folder's socket that knows nothing but the OpenAPI document: it answers each operation with the
 * document's own example, and notes what it was asked.
 */

interface Content {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

export interface DescribedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface Asked {
  /** `POST /jobs/{job_id}/feedback`, or undefined for what the document does not have. */
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly key: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** What was answered. */
  readonly answer: unknown;
}

export class DescribedServer {
  private asked: Asked[] = [];

  private constructor(
    readonly folder: string,
    private readonly server: Server,
  ) {}

  static async open(document: DescribedDocument): Promise<DescribedServer> {
    const folder = mkdtempSync(join(tmpdir(), 'mace-said-'));
    const operations = patternsOf(document);
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { method = 'GET', url = '/' } = request;
        const found = operations.find((one) => one.method === method && one.pattern.test(url.split('?', 1)[0]!));
        const text = Buffer.concat(parts).toString('utf8');
        const asked: Asked = {
          operation: found?.operation,
          method,
          path: url,
          body: text === '' ? null : JSON.parse(text),
          key: request.headers['idempotency-key']?.toString(),
          headers: request.headers,
          answer: found?.answer,
        };
        if (url !== '/health/live') self.asked.push(asked);
        // What is followed has come to its end.
        if (request.headers.accept === 'text/event-stream') {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.end('event: closed\ndata: {"reason":"up_to_date"}\n\n');
          return;
        }
        response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
        response.end(JSON.stringify(found?.answer ?? {}));
      });
    });
    const self = new DescribedServer(folder, server);
    await new Promise<void>((done) => server.listen(placeForSocket(folder), done));
    return self;
  }

  /** What was asked since the last look. */
  taken(): readonly Asked[] {
    const asked = this.asked;
    this.asked = [];
    return asked;
  }

  async close(): Promise<void> {
    await new Promise((done) => this.server.close(done));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Those without parameters first, so that none of them is taken for another's parameter. */
function patternsOf({ paths }: DescribedDocument) {
  const all = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      operation: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      parameters: path.split('{').length - 1,
      pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
      answer: exampleOf(operation),
    })),
  );
  return all.sort((a, b) => a.parameters - b.parameters);
}

function exampleOf({ responses }: Operation): unknown {
  const [, good] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const { example, examples = {} } = good?.content?.['application/json'] ?? {};
  return example ?? Object.values(examples)[0]?.value;
}
