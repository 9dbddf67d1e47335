import { fileURLToPath } from 'node:url';

import { Client, credentials, Metadata, type MethodDefinition, type ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

import type { HitlAnswer, HitlQuestion } from '#lib/negotiation';

/** A person thinks about it; who answers later is asked again. */
const PATIENCE_MS = 300_000;
/** What people can make of an artifact. */
const PROPOSED_ACTIONS = ['approve', 'request_revision', 'reject'];

/** Calls `sw4rm.hitl.HitlService/Decide` of somebody else. */
export class HitlClient {
  private readonly client: Client;
  private readonly decide: MethodDefinition<object, HitlAnswer>;

  constructor({ address, isTls }: { readonly address: string; readonly isTls: boolean }) {
    const folder = fileURLToPath(new URL('./proto/', import.meta.url));
    const options = { includeDirs: [folder], keepCase: true, enums: String, defaults: true };
    const service = loadSync('sw4rm/hitl.proto', options)['sw4rm.hitl.HitlService'] as ServiceDefinition;
    this.decide = service['Decide'] as MethodDefinition<object, HitlAnswer>;
    this.client = new Client(address, isTls ? credentials.createSsl() : credentials.createInsecure());
  }

  /** @throws ServiceError */
  ask({ reason_type, context }: HitlQuestion): Promise<HitlAnswer> {
    const { path, requestSerialize, responseDeserialize } = this.decide;
    const asked = {
      reason_type,
      context: Buffer.from(JSON.stringify(context)),
      proposed_actions: PROPOSED_ACTIONS,
      priority: 0,
    };
    const options = { deadline: Date.now() + PATIENCE_MS };
    return new Promise((resolve, reject) =>
      this.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        asked,
        new Metadata(),
        options,
        (error, said) => (error ? reject(error) : resolve(said!)),
      ),
    );
  }

  /** What is being asked is broken off. */
  close(): void {
    this.client.close();
    this.client.getChannel().close();
  }
}
