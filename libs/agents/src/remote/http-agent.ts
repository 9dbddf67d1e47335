import { randomUUID } from 'node:crypto';

import { answerFault } from '#lib/signatures';

import type { Agent, AgentReply, AgentRequest, RemoteCall } from '../agent.js';
import { type MemoryContext, memoryFor } from '../keys-asked-for.js';
import { CallGate } from './call-gate.js';
import { type Called, CallError, type CallFault, type EndpointCaller } from './endpoint-call.js';
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

/** What every such agent is called with. */
export interface RemoteParts {
  readonly caller: Pick<EndpointCaller, 'call'>;
  /** Headers by which the agent tells our requests from others'. */
  sign(request: {
    readonly method: string;
    readonly url: URL;
    readonly fields: Readonly<Record<string, string>>;
    readonly body: Buffer;
    readonly nonce: string;
  }): Readonly<Record<string, string>>;
  /** A name for a person that this module alone knows them by. */
  pseudonym(userId: string, nodeId: string): string;
  secret(name: string): string | undefined;
  readonly memory?: MemoryContext;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

const CLASSES: Readonly<Record<CallFault, string>> = {
  'host not listed': 'RemoteHostNotListed',
  'address not allowed': 'RemoteAddressNotAllowed',
  'not reached': 'RemoteNotReached',
  certificate: 'RemoteCertificate',
  'broken off': 'RemoteBrokenOff',
  encoded: 'RemoteEncoded',
  'too large': 'RemoteTooLarge',
  'called off': 'RemoteCalledOff',
};

/** An agent that answers elsewhere, one JSON request a turn. */
export class HttpAgent implements Agent {
  readonly external = true;
  private readonly gate: CallGate;

  /** @param endpoint_revision of its module at which the endpoint came to be this */
  constructor(
    readonly agent_id: string,
    readonly endpoint: HttpEndpoint,
    private readonly parts: RemoteParts,
    readonly endpoint_revision = 0,
  ) {
    this.gate = new CallGate(parts.clock);
  }

  answer(request: AgentRequest): Promise<AgentReply> {
    return this.gate.pass(request, () => this.called(request));
  }

  private async called(request: AgentRequest): Promise<AgentReply> {
    const { parts } = this;
    const url = new URL(this.endpoint.url);
    const { user_id, signal, turn } = request;
    const memory = await memoryFor(request, parts.memory);
    const body = Buffer.from(turnBody(this.agent_id, request, parts.pseudonym(user_id, turn.node_id), memory));
    const fields = { 'content-type': 'application/json', [CONTRACT_HEADER]: CONTRACT_VERSION };
    const signed = parts.sign({ method: 'POST', url, fields, body, nonce: randomUUID() });
    const headers = { accept: 'application/json', ...fields, ...this.authorization(), ...signed };
    try {
      const called = await parts.caller.call({ url, headers, body, signal });
      return this.replyTo(called, signed, { user_id, memory });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return fault(error.fault, CLASSES[error.fault]);
    }
  }

  private replyTo(
    { status, headers, bytes }: Called,
    sent: Readonly<Record<string, string>>,
    of: Parameters<typeof replyIn>[1],
  ): AgentReply {
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

  private authorization(): { readonly authorization?: string } {
    const { secret_ref } = this.endpoint;
    const secret = secret_ref === undefined ? undefined : this.parts.secret(secret_ref)?.trim();
    return secret === undefined || secret === '' ? {} : { authorization: `Bearer ${secret}` };
  }
}
