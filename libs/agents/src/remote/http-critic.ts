import type { Json } from '#lib/kernel';

import type { AgentFault } from '../agent.js';
import type { HttpEndpoint } from './http-agent.js';
import { type CallParts, refusalOf, RemoteEndpoint } from './remote-agent.js';
import { CONTRACT_HEADER, CONTRACT_VERSION, fault, isObject, parsed } from './turn-contract.js';

/** What a critic said; whether it is a vote, the council says. */
export interface VoteSaid {
  readonly kind: 'said';
  readonly members: Readonly<Record<string, unknown>>;
}

/** A critic of answers that votes elsewhere, one JSON request a vote. */
export class HttpCritic extends RemoteEndpoint<HttpEndpoint, CallParts> {
  vote(request: Json, signal: AbortSignal): Promise<VoteSaid | AgentFault> {
    return this.through<VoteSaid>({ signal }, async () => {
      const own = { [CONTRACT_HEADER]: CONTRACT_VERSION };
      const { called, signed } = await this.post(new URL(this.endpoint.url), JSON.stringify(request), own, { signal });
      return refusalOf(called, signed, this.endpoint.public_key) ?? voteSaidIn(called.bytes);
    });
  }
}

export function voteSaidIn(bytes: Buffer): VoteSaid | AgentFault {
  const members = parsed(bytes);
  if (members === undefined) return fault('it is no JSON in UTF-8', 'RemoteNotJson');
  return isObject(members) ? { kind: 'said', members } : fault('it is no JSON object', 'RemoteNotSchema');
}
