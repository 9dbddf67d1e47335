import { Client, credentials, Metadata, type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';

import { loadDefinitions } from './proto/definitions.js';
import type { WireVote } from './proto/messages.js';

/** How long one call may take, ms. */
const PATIENCE_MS = 10_000;
/** On the answer to a vote that came after the close. */
export const DISPOSITION = 'sw4rm-vote-disposition';

/** Who is called, and by whom. */
export interface Called {
  /** `host:port`. */
  readonly address: string;
  /** The caller's token. */
  readonly token: string;
}

/** Votes as any SW4RM client does, without TLS. @returns whether it came after the close @throws ServiceError */
export async function submitVote({ address, token }: Called, vote: WireVote): Promise<'counted' | 'late'> {
  const { path, requestSerialize, responseDeserialize } = loadDefinitions().room['SubmitVote'] as MethodDefinition<
    object,
    object
  >;
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const client = new Client(address, credentials.createInsecure());
  try {
    const options = { deadline: Date.now() + PATIENCE_MS };
    return await new Promise((resolve, reject) => {
      const answered = (error: ServiceError | null): void => {
        if (error) reject(error);
      };
      client
        .makeUnaryRequest(path, requestSerialize, responseDeserialize, { vote }, metadata, options, answered)
        .on('status', ({ code, metadata: trailers }) => {
          if (code === status.OK) resolve(trailers.get(DISPOSITION)[0] === 'late' ? 'late' : 'counted');
        });
    });
  } finally {
    client.close();
  }
}
