import { type Form, isJsonObject, MaceError } from '#lib/kernel';

/** Where a module answers that runs elsewhere (docs/agents.md). */
export interface Endpoint {
  readonly kind: 'http';
  /** http or https, without credentials and fragment. */
  readonly url: string;
  /** Variable of MACE's environment that holds what is sent as a bearer token; the secret itself is in no event. */
  readonly secret_ref?: string;
}

const MAX_URL = 2048;
/** No other variable of the environment can be sent anywhere. */
const SECRET_REF = /^MACE_AGENT_SECRET_[A-Z0-9_]{1,40}$/;
const MEMBERS = ['kind', 'url', 'secret_ref'];

/** @throws MaceError INVALID_INPUT that names the member and its allowed form */
export function checkEndpoint(endpoint: object): void {
  const fault = endpointFault(endpoint);
  if (fault !== null) throw new MaceError('INVALID_INPUT', `endpoint${fault}`);
}

/** The form that a stored one has; absent is no endpoint. */
export const isEndpoint: Form = (value) =>
  value === undefined || (isJsonObject(value) && endpointFault(value) === null);

/** The member that is wrong, and its allowed form; null where none is. */
function endpointFault(endpoint: object): string | null {
  const { kind, url, secret_ref } = endpoint as { readonly [name in keyof Endpoint]: unknown };
  if (!Object.keys(endpoint).every((name) => MEMBERS.includes(name))) return `: only ${MEMBERS.join(', ')}`;
  if (kind !== 'http') return '.kind: http';
  if (typeof url !== 'string' || !isEndpointUrl(url))
    return `.url: an http or https URL without credentials and fragment, at most ${MAX_URL} characters`;
  if (secret_ref !== undefined && (typeof secret_ref !== 'string' || !SECRET_REF.test(secret_ref)))
    return `.secret_ref: ${SECRET_REF.source}`;
  return null;
}

function isEndpointUrl(text: string): boolean {
  if (text.length > MAX_URL || !URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === '' && !text.includes('#');
}
