import { randomUUID } from 'node:crypto';

import type { Agent, AgentReply, AgentRequest } from '../agent.js';
import { type CallFault, CallError, type EndpointCaller } from './endpoint-call.js';
import { CONTRACT_HEADER, CONTRACT_VERSION, fault, replyIn, turnBody } from './turn-contract.js';

/** Where an agent of somebody else answers. */
export interface HttpEndpoint {
  readonly kind: 'http';
  /** http or https, without credentials. */
  readonly url: string;
  /** Variable of the environment that holds what is sent as a bearer token. */
  readonly secret_ref?: string;
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
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

/** Turns of one module in flight: more are refused, so that one that hangs takes nobody else's place. */
const AT_ONCE = 64;
/** After so many faults in a row the module is not called for PAUSE_MS. */
const FAULTS_IN_A_ROW = 5;
const PAUSE_MS = 30_000;

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
  private inFlight = 0;
  private faults = 0;
  private pausedUntil = -Infinity;

  constructor(
    readonly agent_id: string,
    readonly endpoint: HttpEndpoint,
    private readonly parts: RemoteParts,
  ) {}

  async answer(request: AgentRequest): Promise<AgentReply> {
    if (this.parts.clock() < this.pausedUntil)
      return fault(`${FAULTS_IN_A_ROW} calls in a row failed, and it is not called for a while`, 'RemotePaused');
    if (this.inFlight >= AT_ONCE) return fault(`${AT_ONCE} turns wait for it already`, 'RemoteBusy');
    this.inFlight++;
    try {
      const reply = await this.called(request);
      this.note(reply, request.signal);
      return reply;
    } finally {
      this.inFlight--;
    }
  }

  private async called(request: AgentRequest): Promise<AgentReply> {
    const url = new URL(this.endpoint.url);
    const { user_id, signal, turn } = request;
    const body = Buffer.from(turnBody(this.agent_id, request, this.parts.pseudonym(user_id, turn.node_id)));
    const fields = { 'content-type': 'application/json', [CONTRACT_HEADER]: CONTRACT_VERSION };
    const headers = {
      accept: 'application/json',
      ...fields,
      ...this.authorization(),
      ...this.parts.sign({ method: 'POST', url, fields, body, nonce: randomUUID() }),
    };
    try {
      const { status, bytes } = await this.parts.caller.call({ url, headers, body, signal });
      if (status === 200) return replyIn(bytes, user_id);
      return fault(`status ${status}, and not 200`, `RemoteStatus${status}`);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return fault(error.fault, CLASSES[error.fault]);
    }
  }

  private authorization(): { readonly authorization?: string } {
    const { secret_ref } = this.endpoint;
    const secret = secret_ref === undefined ? undefined : this.parts.secret(secret_ref)?.trim();
    return secret === undefined || secret === '' ? {} : { authorization: `Bearer ${secret}` };
  }

  /** A turn that was called off before its answer is a fault too: the agent took too long. */
  private note({ kind }: AgentReply, { aborted }: AbortSignal): void {
    this.faults = kind === 'failed' || aborted ? this.faults + 1 : 0;
    if (this.faults >= FAULTS_IN_A_ROW) this.pausedUntil = this.parts.clock() + PAUSE_MS;
  }
}
