import { hash } from 'node:crypto';

import { CanonicalJsonError, type JsonObject } from '#lib/kernel';

import { CallError, type EndpointCaller } from '../remote/endpoint-call.js';
import { isObject, isText, parsed } from '../remote/turn-contract.js';
import { type CardKey, signerOf } from './card-signature.js';

/** The cards of agents that speak A2A 1.0: where they are, what is taken from them, and what of them is held on to. */

export const A2A_VERSION = '1.0';
const WELL_KNOWN = '.well-known/agent-card.json';
const SPOKEN = /^1\.0(?:\.[0-9]{1,9})?$/;
/** It is recorded in plain. */
const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+-]{0,39}$/;

/** What is recorded of a card when it is approved. */
export interface AgentCardPin {
  /** Of its bytes. */
  readonly sha256: string;
  /** As the card says it. */
  readonly version: string;
  /** Where it takes JSON-RPC. */
  readonly url: string;
  /** The key that signed it; absent where it is not signed. */
  readonly key?: CardKey;
}

/** Why there is no card, in words of ours. */
export class CardError extends Error {
  constructor(readonly why: string) {
    super(`the agent card: ${why}`);
    this.name = 'CardError';
  }
}

type Caller = Pick<EndpointCaller, 'call'>;

/** Of an endpoint: its own where that is a document, else below its origin (RFC 8615). */
export function cardUrlOf(endpoint: string): URL {
  const url = new URL(endpoint);
  return url.pathname.endsWith('.json') ? url : new URL(`/${WELL_KNOWN}`, url);
}

/** The hash of a card as it is now; of one that is larger than any that is taken, that of nothing. @throws CallError, CardError */
export async function cardHash(caller: Caller, endpoint: string, signal: AbortSignal): Promise<string> {
  try {
    return hash('sha256', await fetched(caller, cardUrlOf(endpoint), signal), 'hex');
  } catch (error) {
    if (error instanceof CallError && error.fault === 'too large') return hash('sha256', '', 'hex');
    throw error;
  }
}

/**
 * A card, read and checked.
 * @param publicKey Ed25519 in base64url, which has to have signed it; where absent, keys of the set that it names at its
 * own origin
 * @throws CardError
 */
export async function readCard(
  caller: Caller,
  { url: endpoint, public_key }: { readonly url: string; readonly public_key?: string },
  signal: AbortSignal,
): Promise<AgentCardPin> {
  const at = cardUrlOf(endpoint);
  const bytes = await told(() => fetched(caller, at, signal));
  const card = parsed(bytes);
  if (!isObject(card)) throw new CardError('no JSON object in UTF-8');
  const { name, version, capabilities } = card;
  if (!isText(name)) throw new CardError('name is no text');
  if (!isText(version) || !VERSION.test(version)) throw new CardError(`version is not of ${VERSION.source}`);
  const needed = isObject(capabilities) && Array.isArray(capabilities['extensions']) ? capabilities['extensions'] : [];
  if (needed.some((one) => isObject(one) && one['required'] === true))
    throw new CardError('it requires an extension, and none is spoken here');
  const keysAt = async (jku: string): Promise<unknown> => {
    const keys = URL.canParse(jku) ? new URL(jku) : undefined;
    if (keys?.origin !== at.origin) throw new CardError('its signature names keys (jku) of another origin');
    return parsed(await fetched(caller, keys, signal));
  };
  const key = await told(() => signerOf(card as JsonObject, public_key, keysAt));
  if (key === null) throw new CardError('its signature is of no key that it names, or none that is known');
  return {
    sha256: hash('sha256', bytes, 'hex'),
    version,
    url: interfaceOf(card),
    ...(key === undefined ? {} : { key }),
  };
}

/** The first that takes JSON-RPC of this version, of nobody's tenant. @throws CardError */
function interfaceOf({ supportedInterfaces: all }: Readonly<Record<string, unknown>>): string {
  for (const one of Array.isArray(all) ? all.filter(isObject) : []) {
    const { url, protocolBinding, protocolVersion, tenant = '' } = one;
    if (protocolBinding !== 'JSONRPC' || tenant !== '' || !isText(protocolVersion) || !SPOKEN.test(protocolVersion))
      continue;
    if (isText(url) && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url).href;
  }
  throw new CardError(`no interface with protocolBinding JSONRPC and protocolVersion ${A2A_VERSION}`);
}

async function fetched(caller: Caller, url: URL, signal: AbortSignal): Promise<Buffer> {
  const { status, bytes } = await caller.call({ url, headers: { accept: 'application/json' }, signal });
  if (status !== 200) throw new CardError(`status ${status}, and not 200`);
  return bytes;
}

async function told<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof CallError) throw new CardError(error.fault);
    if (error instanceof CanonicalJsonError) throw new CardError(`it has no canonical form: ${error.reason}`);
    throw error;
  }
}
