import { randomUUID } from 'node:crypto';

import type { Agent, AgentReply, AgentRequest } from '../agent.js';
import type { MemoryContext } from '../keys-asked-for.js';
import { CallGate } from './call-gate.js';
import { type Called, CallError, type CallFault, type EndpointCaller } from './endpoint-call.js';
import { fault } from './turn-contract.js';

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

/** Headers of a request by which it was signed. */
export type Signed = Readonly<Record<string, string>>;

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

/** What agents elsewhere have in common, whatever they speak: how they are reached, and how often. */
export abstract class RemoteAgent<E extends { readonly url: string; readonly secret_ref?: string }> implements Agent {
  readonly external = true;
  private readonly gate: CallGate;

  /** @param endpoint_revision of its module at which the endpoint came to be this */
  constructor(
    readonly agent_id: string,
    readonly endpoint: E,
    protected readonly parts: RemoteParts,
    readonly endpoint_revision = 0,
  ) {
    this.gate = new CallGate(parts.clock);
  }

  answer(request: AgentRequest): Promise<AgentReply> {
    return this.gate.pass(request, async () => {
      try {
        return await this.turn(request);
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        return fault(error.fault, CLASSES[error.fault]);
      }
    });
  }

  /** @throws CallError */
  protected abstract turn(request: AgentRequest): Promise<AgentReply>;

  /** Posts JSON, signed, with the secret of the endpoint. @param own fields that are signed too @throws CallError */
  protected async post(
    url: URL,
    json: string,
    own: Signed,
    { signal }: Pick<AgentRequest, 'signal'>,
  ): Promise<{ readonly called: Called; readonly signed: Signed }> {
    const body = Buffer.from(json);
    const fields = { 'content-type': 'application/json', ...own };
    const signed = this.parts.sign({ method: 'POST', url, fields, body, nonce: randomUUID() });
    const headers = { accept: 'application/json', ...fields, ...this.authorization(), ...signed };
    return { called: await this.parts.caller.call({ url, headers, body, signal }), signed };
  }

  private authorization(): { readonly authorization?: string } {
    const { secret_ref } = this.endpoint;
    const secret = secret_ref === undefined ? undefined : this.parts.secret(secret_ref)?.trim();
    return secret === undefined || secret === '' ? {} : { authorization: `Bearer ${secret}` };
  }
}
