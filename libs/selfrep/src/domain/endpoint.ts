import { ED25519_KEY, type Form, isEd25519Key, isJsonObject, type Json, MaceError } from '#lib/kernel';

/** Where a module answers that runs elsewhere (docs/agents.md). */
export interface Endpoint {
  /** `http`: one JSON request a turn; `a2a`: Agent2Agent 1.0. */
  readonly kind: 'http' | 'a2a';
  /** http or https, without credentials and fragment; of an agent by A2A that of its card, or of its origin. */
  readonly url: string;
  /** Variable of MACE's environment that holds what is sent as a bearer token; the secret itself is in no event. */
  readonly secret_ref?: string;
  /** By which it signs its answers, or its card, Ed25519, 32 bytes in base64url; what is not signed so is refused. */
  readonly public_key?: string;
  /** Of an agent by A2A: its card as it was approved. */
  readonly card?: PinnedCard;
}

/** What is held on to of an agent card. */
export interface PinnedCard {
  /** Of its bytes. */
  readonly sha256: string;
  /** As the card says it. */
  readonly version: string;
  /** Where it takes JSON-RPC. */
  readonly url: string;
  /** The key that signed it, as a JSON Web Key; absent where it is not signed. */
  readonly key?: Readonly<Record<string, string>>;
}

/** What makes a language engine answer as a module. */
export interface Prompt {
  /** What the engine is told of its task. */
  readonly system: string;
  /** `model` of an entry of MACE_LLM_PROVIDERS; where absent, all of them in their order. */
  readonly model?: string;
  /** Of an answer, where that is less than the turn's budget. */
  readonly max_tokens?: number;
}

/** How a module is called that is no part of the system: one of both, or neither where nothing can call it. */
export interface CallTarget {
  readonly endpoint?: Endpoint;
  readonly prompt?: Prompt;
}

const MAX_URL = 2048;
const MAX_SYSTEM = 8000;
const MAX_MODEL = 128;
const MAX_TOKENS = 32_768;
/** No other variable of the environment can be sent anywhere. */
const SECRET_REF = /^MACE_AGENT_SECRET_[A-Z0-9_]{1,40}$/;

type Members = Readonly<Record<string, readonly [form: string, fits: (value: unknown) => boolean]>>;

/** The name of an optional member ends in `?`. */
const ENDPOINT: Members = {
  kind: ['http or a2a', (value) => value === 'http' || value === 'a2a'],
  url: [
    `an http or https URL without credentials and fragment, at most ${MAX_URL} characters`,
    (value) => typeof value === 'string' && isEndpointUrl(value),
  ],
  'secret_ref?': [SECRET_REF.source, (value) => typeof value === 'string' && SECRET_REF.test(value)],
  'public_key?': [ED25519_KEY, (value) => typeof value === 'string' && isEd25519Key(value)],
  'card?': [
    '{sha256, version, url, key}',
    (value) => isJsonObject(value as Json) && faultOf('', CARD, value as object) === null,
  ],
};

const CARD: Members = {
  sha256: ['64 hexadecimal digits', (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)],
  version: ['a text', isTextOf(256)],
  url: ['a URL', (value) => typeof value === 'string' && isEndpointUrl(value)],
  'key?': [
    'a JSON Web Key',
    (value) => isJsonObject(value as Json) && Object.values(value as object).every(isTextOf(2048)),
  ],
};

const PROMPT: Members = {
  system: [`a text of 1 to ${MAX_SYSTEM} characters`, isTextOf(MAX_SYSTEM)],
  'model?': [`a text of 1 to ${MAX_MODEL} characters`, isTextOf(MAX_MODEL)],
  'max_tokens?': [
    `a whole number from 1 to ${MAX_TOKENS}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MAX_TOKENS,
  ],
};

/** @throws MaceError INVALID_INPUT that names the member and its allowed form */
export function checkCallTarget({ endpoint, prompt }: CallTarget): void {
  if (endpoint !== undefined && prompt !== undefined)
    throw new MaceError('INVALID_INPUT', 'endpoint: one of endpoint and prompt, not both');
  const fault = endpoint ? faultOf('endpoint', ENDPOINT, endpoint) : prompt ? faultOf('prompt', PROMPT, prompt) : null;
  if (fault !== null) throw new MaceError('INVALID_INPUT', fault);
}

/** The same of what is proposed: a card is read from the agent, by MACE alone. @throws MaceError INVALID_INPUT */
export function checkProposedTarget(target: CallTarget): void {
  checkCallTarget(target);
  if (target.endpoint?.card !== undefined)
    throw new MaceError('INVALID_INPUT', 'endpoint: only kind, url, secret_ref, public_key');
}

/** The forms that stored ones have; absent is neither. */
export const isEndpoint: Form = (value) => hasForm(value, ENDPOINT);
export const isPrompt: Form = (value) => hasForm(value, PROMPT);

function hasForm(value: Json | undefined, members: Members): boolean {
  return value === undefined || (isJsonObject(value) && faultOf('', members, value) === null);
}

/** The member that is wrong, and its allowed form; null where none is. */
function faultOf(name: string, members: Members, given: object): string | null {
  const values = given as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).map((member) => member.replace('?', ''));
  if (!Object.keys(values).every((member) => names.includes(member))) return `${name}: only ${names.join(', ')}`;
  for (const [member, [form, fits]] of Object.entries(members)) {
    const value = values[member.replace('?', '')];
    if (value === undefined && member.endsWith('?')) continue;
    if (!fits(value)) return `${name}.${member.replace('?', '')}: ${form}`;
  }
  return null;
}

function isTextOf(most: number): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && value.trim() !== '' && value.length <= most && value.isWellFormed();
}

function isEndpointUrl(text: string): boolean {
  if (text.length > MAX_URL || !URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === '' && !text.includes('#');
}
