import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it is exported, in what tests look at. */
export interface ExportedSpan {
  readonly traceId: string;
  readonly name: string;
}

/** A collector of spans: OTLP over HTTP in JSON, as https://opentelemetry.io/docs/specs/otlp has it. */
export class Collector {
  /** Everything it was sent, as it came. */
  readonly bodies: Buffer[] = [];
  private readonly server: Server;

  private constructor(answers: boolean) {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (!answers) return;
        if (request.url === '/v1/traces') this.bodies.push(Buffer.concat(chunks));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  /** @param answers false for one that takes what it is sent and says nothing */
  static async start({ answers = true } = {}): Promise<Collector> {
    const collector = new Collector(answers);
    await new Promise<void>((resolve) => collector.server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  /** Settings of a process that exports to it. */
  get settings(): Readonly<Record<string, string>> {
    const { port } = this.server.address() as AddressInfo;
    return { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  }

  get spans(): readonly ExportedSpan[] {
    return this.resources().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  }

  /** `service.name` of whoever sent. */
  get services(): readonly string[] {
    const names = this.resources().flatMap(({ resource }) => resource.attributes);
    return names.filter(({ key }) => key === 'service.name').map(({ value }) => value.stringValue ?? '');
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private resources(): readonly ResourceSpans[] {
    return this.bodies.flatMap((body) => (JSON.parse(body.toString()) as Exported).resourceSpans);
  }
}

interface Exported {
  readonly resourceSpans: readonly ResourceSpans[];
}

interface ResourceSpans {
  readonly resource: {
    readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  };
  readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
}
