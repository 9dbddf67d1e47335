import { Client, credentials, Metadata, type MethodDefinition } from '@grpc/grpc-js';

import { loadDefinitions } from '../../../apps/negotiation/src/proto/definitions.js';
import { headersOf } from './http-side.js';

type Says = ReadonlyMap<string, Metadata>;

/** Metadata with the token of each of these. */
export async function tokensOf(data: string, people: readonly string[]): Promise<Says> {
  const says = new Map<string, Metadata>();
  for (const who of people) {
    const { authorization } = await headersOf(data, who, 'agent');
    const metadata = new Metadata();
    metadata.set('authorization', authorization!);
    says.set(who, metadata);
  }
  return says;
}

/** Calls a room as fast as it is told to; whoever is not known calls without a token. */
export class RoomCaller {
  private readonly client: Client;
  private readonly room = loadDefinitions().room;

  constructor(
    port: number,
    private readonly says: Says,
  ) {
    this.client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  }

  vote(critic_id: string, artifact_id: string): Promise<void> {
    const words = { strengths: ['it is clear'], weaknesses: [], recommendations: ['say who does it'] };
    const vote = { artifact_id, critic_id, score: 8, confidence: 0.9, passed: true, ...words };
    return this.call('SubmitVote', { vote }, critic_id);
  }

  /** With a window of a day. */
  propose(producer_id: string, artifact_id: string, requested_critics: readonly string[]): Promise<void> {
    const proposal = {
      artifact_id,
      producer_id,
      artifact: Buffer.from('a plan'),
      artifact_content_type: 'application/octet-stream',
      requested_critics,
      vote_collection_timeout_s: 86_400,
    };
    return this.call('SubmitProposal', { proposal }, producer_id);
  }

  close(): void {
    this.client.close();
  }

  private call(name: string, request: object, who: string): Promise<void> {
    const { path, requestSerialize, responseDeserialize } = this.room[name] as MethodDefinition<object, object>;
    const metadata = this.says.get(who) ?? new Metadata();
    return new Promise((done, failed) =>
      this.client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, {}, (error) =>
        error ? failed(error) : done(),
      ),
    );
  }
}
