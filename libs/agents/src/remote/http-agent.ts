import { answerFault } from '#lib/signatures';

import type { AgentReply, AgentRequest, RemoteCall } from '../agent.js';
import { memoryFor } from '../keys-asked-for.js';
import type { Called } from './endpoint-call.js';
import { RemoteAgent, type Signed } from './remote-agent.js';
import { CONTRACT_HEADER, CONTRACT_VERSION, fault, replyIn, turnBody } from './turn-contract.js';

/** Where an agent of somebody else answers. */
export interface HttpEndpoint {
  readonly kind: 'http';
  /** http or https, without credentials. */
  readonly url: string;
  /** Variable of the environment that holds what is sent as a bearer token. */
  readonly secret_ref?: string;
  /** By which answers are signed, Ed25519, 32 bytes in base64url. */
  readonly public_key?: string;
}

/** An agent that answers elsewhere, one JSON request a turn. */
export class HttpAgent extends RemoteAgent<HttpEndpoint> {
  protected async turn(request: AgentRequest): Promise<AgentReply> {
    const { user_id, turn } = request;
    const memory = await memoryFor(request, this.parts.memory);
    const body = turnBody(this.agent_id, request, this.parts.pseudonym(user_id, turn.node_id), memory);
    const own = { [CONTRACT_HEADER]: CONTRACT_VERSION };
    const { called, signed } = await this.post(new URL(this.endpoint.url), body, own, request);
    return this.replyTo(called, signed, { user_id, memory });
  }

  private replyTo({ status, headers, bytes }: Called, sent: Signed, of: Parameters<typeof replyIn>[1]): AgentReply {
    const { public_key } = this.endpoint;
    const call: RemoteCall = { status, bytes: bytes.length };
    if (status !== 200) return { ...fault(`status ${status}, and not 200`, `RemoteStatus${status}`), call };
    if (public_key === undefined) return { ...replyIn(bytes, of), call };
    const field = (name: string): string | undefined => {
      const value = headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const wrong = answerFault(
      {
        status,
        body: bytes,
        digest: field('content-digest'),
        input: field('signature-input'),
        signature: field('signature'),
        requestSignature: sent['signature'] ?? '',
      },
      public_key,
    );
    if (wrong !== null) return { ...fault(wrong, 'RemoteSignature'), call };
    return { ...replyIn(bytes, of), call: { ...call, signed: true } };
  }
}
