import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';

import { loadDefinitions } from '../../../apps/negotiation/src/proto/definitions.js';
import type { WireVote } from '../../../apps/negotiation/src/proto/messages.js';

export interface EchoReady {
  readonly kind: 'ready';
  readonly port: number;
}

type Vote = Pick<WireVote, 'artifact_id' | 'critic_id'>;

/** The same method of the same library, which answers with the ids that it is sent. */
const server = new Server();
server.addService(loadDefinitions().room, {
  SubmitVote({ request }: ServerUnaryCall<{ vote: Vote }, Vote>, answer: sendUnaryData<Vote>): void {
    const { artifact_id, critic_id } = request.vote;
    answer(null, { artifact_id, critic_id });
  },
});
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.send!({ kind: 'ready', port } satisfies EchoReady);
});
process.once('SIGTERM', () => {
  server.forceShutdown();
  process.exit();
});
