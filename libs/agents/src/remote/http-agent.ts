import type { AgentReply, AgentRequest, RemoteCall } from '../agent.js';
import { memoryFor } from '../keys-asked-for.js';
import type { Called } from './endpoint-call.js';
import { refusalOf, RemoteAgent, type Signed } from './remote-agent.js';
import { type AskedWith, CONTRACT_HEADER, CONTRACT_VERSION, replyIn, turnBody } from './turn-contract.js';

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
  protected async turn(shown: AgentRequest, asked: AgentRequest): Promise<AgentReply> {
    const { user_id, turn } = asked;
    const told: AskedWith = {
      user_id,
      person: this.parts.pseudonym(user_id, turn.node_id),
      memory: await memoryFor(asked, this.parts.outside),
    };
    const own = { [CONTRACT_HEADER]: CONTRACT_VERSION };
    const body = turnBody(this.agent_id, shown, told);
    const { called, signed } = await this.post(new URL(this.endpoint.url), body, own, shown);
    return this.replyTo(called, signed, told);
  }

  private replyTo(called: Called, sent: Signed, of: AskedWith): AgentReply {
    const { public_key } = this.endpoint;
    const { status, bytes } = called;
    const call: RemoteCall = { status, bytes: bytes.length };
    const refused = refusalOf(called, sent, public_key);
    if (refused) return { ...refused, call };
    return { ...replyIn(bytes, of), call: public_key === undefined ? call : { ...call, signed: true } };
  }
}
