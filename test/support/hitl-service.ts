import { join } from 'node:path';

import {
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/** Somebody's HitlService, which tells what it was asked. */
export class HitlService {
  readonly asked: { readonly reason_type: string; readonly context: Buffer }[] = [];
  private port = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<HitlService> {
    const server = new Server();
    const hitl = new HitlService(server);
    const proto = join(process.cwd(), 'apps/negotiation/src/proto');
    const file = loadSync('sw4rm/hitl.proto', { includeDirs: [proto], keepCase: true, enums: String });
    server.addService(file['sw4rm.hitl.HitlService'] as ServiceDefinition, {
      Decide({ request }: ServerUnaryCall<(typeof hitl.asked)[number], object>, answer: sendUnaryData<object>): void {
        hitl.asked.push(request);
        answer(null, { action: 'request_revision', rationale: 'a person looked at it' });
      },
    });
    hitl.port = await new Promise<number>((resolve, reject) => {
      const plain = ServerCredentials.createInsecure();
      server.bindAsync('127.0.0.1:0', plain, (error, bound) => (error ? reject(error) : resolve(bound)));
    });
    return hitl;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What it was asked about an artifact. */
  about(id: string): readonly string[] {
    const of = ({ context }: { context: Buffer }): string =>
      (JSON.parse(context.toString()) as { artifact_id: string }).artifact_id;
    return this.asked.filter((one) => of(one) === id).map(({ reason_type }) => reason_type);
  }

  end(): void {
    this.server.forceShutdown();
  }
}
