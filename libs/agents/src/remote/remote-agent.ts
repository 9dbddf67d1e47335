import { randomUUID } from 'node:crypto';

import { answerFault } from '#lib/signatures';

import type { Agent, AgentFault, AgentReply, AgentRequest } from '../agent.js';
import { type Outside, shownOutside } from '../keys-asked-for.js';
import { CallGate } from './call-gate.js';
import { type Called, CallError, type CallFault, type EndpointCaller } from './endpoint-call.js';
import { withoutSecret } from './without-secret.js';
import { fault } from './turn-contract.js';

/** What every endpoint is called with. */
export interface CallParts {
  readonly caller: Pick<EndpointCaller, 'call'>;
  /** Headers by which the agent tells our requests from others'. */
  sign(request: {
    readonly method: string;
    readonly url: URL;
    readonly fields: Readonly<Record<string, string>>;
    readonly body: Buffer;
    readonly nonce: string;
  }): Readonly<Record<string, string>>;
  secret(name: string): string | undefined;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

/** What every such agent is called with. */
export interface RemoteParts extends CallParts {
  /** A name for a person that this module alone knows them by. */
  pseudonym(userId: string, nodeId: string): string;
  /** Absent where nobody but the caller asks, as in a trial. */
  readonly outside?: Outside;
}

/** Headers of a request, such as those by which it was signed. */
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
  busy: 'RemoteBusy',
  'holds the secret': 'RemoteSecret',
};

type Signals = Pick<AgentRequest, 'signal' | 'closing'>;

/** How whatever answers elsewhere is reached, and how often. */
export abstract class RemoteEndpoint<
  E extends { readonly url: string; readonly secret_ref?: string },
  P extends CallParts,
> {
  readonly gate: CallGate;

  constructor(
    readonly endpoint: E,
    protected readonly parts: P,
  ) {
    this.gate = new CallGate(parts.clock);
  }

  protected through<T extends { readonly kind: string }>(
    request: Signals,
    call: () => Promise<T | AgentFault>,
  ): Promise<T | AgentFault> {
    return this.gate.pass(request, async () => {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        return fault(error.fault, CLASSES[error.fault]);
      }
    });
  }

  /** Posts JSON, signed, with the secret of the endpoint. @param own fields that are signed too @throws CallError */
  protected async post(
    url: URL,
    json: string,
    own: Signed,
    { signal, closing = signal }: Signals,
  ): Promise<{ readonly called: Called; readonly signed: Signed }> {
    if (signal.aborted) throw new CallError('called off');
    const body = Buffer.from(json);
    const fields = { 'content-type': 'application/json', ...own };
    const signed = this.parts.sign({ method: 'POST', url, fields, body, nonce: randomUUID() });
    const secret = this.secret();
    const authorization: Signed = secret === '' ? {} : { authorization: `Bearer ${secret}` };
    const headers = { accept: 'application/json', ...fields, ...authorization, ...signed };
    const called = await this.parts.caller.call({ url, headers, body, signal: closing, of: this });
    const said = called.bytes.toString();
    if (withoutSecret(said, secret, '') !== said) throw new CallError('holds the secret');
    return { called, signed };
  }

  private secret(): string {
    const { secret_ref } = this.endpoint;
    return (secret_ref === undefined ? undefined : this.parts.secret(secret_ref)?.trim()) ?? '';
  }
}

/** What agents elsewhere have in common, whatever they speak. */
export abstract class RemoteAgent<E extends { readonly url: string; readonly secret_ref?: string }>
  extends RemoteEndpoint<E, RemoteParts>
  implements Agent
{
  readonly external = true;

  /** @param endpoint_revision of its module at which the endpoint came to be this */
  constructor(
    readonly agent_id: string,
    endpoint: E,
    parts: RemoteParts,
    readonly endpoint_revision = 0,
  ) {
    super(endpoint, parts);
  }

  answer(request: AgentRequest): Promise<AgentReply> {
    return this.through(request, () => this.turn(shownOutside(request, this.parts.outside), request));
  }

  /** @param shown as it may leave @param asked as it was asked @throws CallError */
  protected abstract turn(shown: AgentRequest, asked: AgentRequest): Promise<AgentReply>;
}

/** Why what came is not taken at all: not status 200, or not signed by the key that was pinned. */
export function refusalOf(
  { status, headers, bytes }: Called,
  sent: Signed,
  public_key: string | undefined,
): AgentFault | null {
  if (status !== 200) return fault(`status ${status}, and not 200`, `RemoteStatus${status}`);
  if (public_key === undefined) return null;
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
  return wrong === null ? null : fault(wrong, 'RemoteSignature');
}
