import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';

import { loadDefinitions } from '../../apps/negotiation/src/proto/definitions.js';

/** What a call may say beside its message. */
export interface Said {
  readonly metadata?: Readonly<Record<string, string>>;
  /** Milliseconds from now. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

export interface RoomAnswer<T> {
  readonly response: T;
  readonly trailers: Metadata;
}

const { room, registry } = loadDefinitions();

/** A caller of the Negotiation Room and its registry, by real gRPC. */
export class RoomClient {
  private readonly client: Client;

  /** @param token of whoever calls; undefined for nobody */
  constructor(
    port: number,
    private readonly token: (who: string) => Promise<string> | string,
    channel = credentials.createInsecure(),
  ) {
    this.client = new Client(`127.0.0.1:${port}`, channel);
  }

  /** @throws ServiceError */
  async call<T>(who: string | null, method: string, message: object, said: Said = {}): Promise<RoomAnswer<T>> {
    const definition = (room[method] ?? registry[method])!;
    const metadata = new Metadata();
    if (who !== null) metadata.set('authorization', `Bearer ${await this.token(who)}`);
    for (const [name, value] of Object.entries(said.metadata ?? {})) metadata.set(name, value);
    const options = said.deadlineMs === undefined ? {} : { deadline: Date.now() + said.deadlineMs };
    return new Promise((resolve, reject) => {
      let response: T;
      const unary = this.client.makeUnaryRequest(
        definition.path,
        definition.requestSerialize,
        definition.responseDeserialize as (bytes: Buffer) => T,
        message,
        metadata,
        options,
        (error, value) => (error ? reject(error) : (response = value!)),
      );
      said.signal?.addEventListener('abort', () => unary.cancel());
      // Broken off while the token was made.
      if (said.signal?.aborted) unary.cancel();
      unary.on('status', ({ code, metadata: trailers }) => {
        if (code === status.OK) setImmediate(() => resolve({ response, trailers }));
      });
    });
  }

  close(): void {
    this.client.close();
  }
}

/** `<STATUS> <mace-error-code>: <details>` of a call that fails, `OK` of one that does not. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => null,
    (thrown: ServiceError) => thrown,
  );
  if (error === null) return 'OK';
  return `${status[error.code]} ${String(error.metadata.get('mace-error-code')[0])}: ${error.details}`;
}

export const proposalBy = (
  producer_id: string,
  artifact_id: string,
  requested_critics: readonly string[],
  more: object = {},
) => ({
  proposal: {
    artifact_id,
    artifact_type: 3,
    producer_id,
    artifact: Buffer.from('print("hello")'),
    artifact_content_type: 'text/x-python',
    requested_critics,
    ...more,
  },
});

export const voteBy = (critic_id: string, artifact_id: string, more: object = {}) => ({
  vote: { artifact_id, critic_id, score: 9, confidence: 0.9, passed: true, strengths: ['clear'], ...more },
});
