import { createPublicKey, verify } from 'node:crypto';

import { SIGNATURE_ALGORITHM, SIGNATURE_LABEL } from './covered.js';
import { ourMember, ParseError, type Member } from './dictionary.js';
import type { ResponseKey } from './response-key.js';
import { contentDigest } from './response-signer.js';
import { identifierOf, signatureBase, type Component } from './signature-base.js';

/** What is checked alike of answers and of requests (RFC 9421, section 3.2). */

/** A message as it was received. */
export interface ReceivedMessage {
  /** In the order received; names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** When a message may have been signed. */
export interface AgeLimit {
  /** Seconds since the Unix epoch. */
  readonly now: number;
  /** Seconds before `now`; after it, `CLOCK_SKEW_S` are allowed. */
  readonly maxAgeS: number;
}

export type Verdict =
  | { readonly verified: true; readonly kid: string; /** Seconds since the Unix epoch. */ readonly created: number }
  | {
      readonly verified: false;
      readonly reason: string;
      /** The key that it names is not among those given: whoever has current ones may try again. */
      readonly unknownKey?: true;
    };

/** How far the clocks of signer and reader may be apart, seconds. */
export const CLOCK_SKEW_S = 300;
/** How far the clocks of signer and key ring may be apart, seconds. */
const KEY_TOLERANCE_S = 2;

/** What makes a kind of message; components that it lacks must not be covered, those that it needs must be. */
export interface Rules {
  readonly kind: 'answer' | 'request';
  /** Derived components of the message itself, by name. */
  readonly derived: Readonly<Record<string, string>>;
  /** Components of the request that is answered. */
  readonly ofRequest: readonly Component[];
  /** Identifiers. */
  readonly needed: readonly string[];
  /** What differs where a signature is of another message. */
  readonly otherwise: string;
  readonly age: AgeLimit | undefined;
  /** @throws Unverified for what the signature's parameters say */
  readonly refuse?: (parameters: ReadonlyMap<string, unknown>) => void;
}

export class Unverified extends Error {}
class UnknownKey extends Unverified {}

export function verdictOn(message: ReceivedMessage, keys: readonly ResponseKey[], rules: Rules): Verdict {
  try {
    return { verified: true, ...checked(message, keys, rules) };
  } catch (error) {
    if (error instanceof UnknownKey) return { verified: false, reason: error.message, unknownKey: true };
    if (error instanceof Unverified) return { verified: false, reason: error.message };
    if (error instanceof ParseError)
      return { verified: false, reason: `Signature or Signature-Input: not a structured field (${error.message})` };
    throw error;
  }
}

function checked(
  message: ReceivedMessage,
  keys: readonly ResponseKey[],
  rules: Rules,
): { kid: string; created: number } {
  const { kind, needed, age, otherwise, refuse } = rules;
  const { list, parameters, keyid, created } = inputOf(message, kind);
  const components = list.map((item) => componentOf(message, rules, item));
  refuseGaps(needed, components.map(identifierOf));
  if (fieldOf(message, 'content-digest') !== contentDigest(message.body))
    throw new Unverified('the content is not what Content-Digest says: it was changed or cut off');
  const key = keyOf(keys, keyid, created);
  const { base } = signatureBase(components, parameters);
  const publicKey = createPublicKey({ key: { kty: key.kty, crv: key.crv, x: key.x }, format: 'jwk' });
  if (!verify(null, base, publicKey, signatureOf(message, kind)))
    throw new Unverified(`the signature is not of this ${otherwise}`);
  refuse?.(parameters);
  if (age) refuseAge(created, age);
  return { kid: keyid, created };
}

function inputOf(message: ReceivedMessage, kind: Rules['kind']) {
  const [list, given] = memberOf(message, 'signature-input', kind);
  if (!Array.isArray(list)) throw new Unverified('Signature-Input lists no components');
  const parameters = new Map<string, string | number>();
  for (const [name, value] of given) {
    if (typeof value !== 'number' && typeof value !== 'string')
      throw new Unverified(`Signature-Input: its parameter ${name} is neither text nor number`);
    parameters.set(name, value);
  }
  const keyid = parameters.get('keyid');
  const created = parameters.get('created');
  const algorithm = parameters.get('alg') ?? SIGNATURE_ALGORITHM;
  if (typeof keyid !== 'string' || typeof created !== 'number' || !Number.isInteger(created))
    throw new Unverified('Signature-Input: keyid and created are needed');
  if (algorithm !== SIGNATURE_ALGORITHM) throw new Unverified(`Signature-Input: alg is not ${SIGNATURE_ALGORITHM}`);
  return { list: list as readonly Member[], parameters, keyid, created };
}

function signatureOf(message: ReceivedMessage, kind: Rules['kind']): Uint8Array {
  const [value] = memberOf(message, 'signature', kind);
  if (!(value instanceof ArrayBuffer)) throw new Unverified(`Signature: ${SIGNATURE_LABEL} is no byte sequence`);
  return new Uint8Array(value);
}

function memberOf(message: ReceivedMessage, field: string, kind: Rules['kind']): Member {
  const text = fieldOf(message, field);
  if (text === undefined) throw new Unverified(`the ${kind} is not signed: it has no ${field} header`);
  const member = ourMember(text);
  if (!member) throw new Unverified(`the ${kind} is not signed by MACE: ${field} has no member ${SIGNATURE_LABEL}`);
  return member;
}

function componentOf(message: ReceivedMessage, rules: Rules, [name, parameters]: Member): Component {
  const ofRequest = parameters.get('req') === true;
  if (typeof name !== 'string' || parameters.size !== (ofRequest ? 1 : 0))
    throw new Unverified('the signature covers something that cannot be checked here');
  const value = ofRequest
    ? rules.ofRequest.find((one) => one.name === name)?.value
    : ofTheMessage(message, rules.derived, name);
  if (value === undefined) throw new Unverified(`the signature covers ${name}, which is not there`);
  return { name, value, ofRequest };
}

function ofTheMessage(message: ReceivedMessage, derived: Rules['derived'], name: string): string | undefined {
  if (Object.hasOwn(derived, name)) return derived[name];
  return /^[a-z0-9-]+$/.test(name) ? fieldOf(message, name) : undefined;
}

/** A field's value as it is signed: the lines of that name in order, trimmed (RFC 9421, section 2.1). */
export function fieldOf({ headers }: ReceivedMessage, name: string): string | undefined {
  const lines = headers.filter(([found]) => found.toLowerCase() === name).map(([, value]) => value.trim());
  return lines.length === 0 ? undefined : lines.join(', ');
}

/** A signature over less than everything would be a true one of somebody's choice. */
function refuseGaps(needed: readonly string[], covered: readonly string[]): void {
  if (new Set(covered).size !== covered.length) throw new Unverified('the signature covers something twice');
  const gap = needed.find((identifier) => !covered.includes(identifier));
  if (gap !== undefined) throw new Unverified(`the signature does not cover ${gap}`);
}

function refuseAge(created: number, { now, maxAgeS }: AgeLimit): void {
  const ageS = now - created;
  if (ageS > maxAgeS) throw new Unverified(`it is ${ageS} s old, ${maxAgeS} s are allowed`);
  if (ageS < -CLOCK_SKEW_S)
    throw new Unverified(`it was signed ${-ageS} s from now: clocks may be ${CLOCK_SKEW_S} s apart`);
}

function keyOf(keys: readonly ResponseKey[], kid: string, created: number): ResponseKey {
  const key = keys.find((one) => one.kid === kid && one.kty === 'OKP' && one.crv === 'Ed25519');
  if (!key) throw new UnknownKey('its key is not among those given');
  const isInTime = created >= key.nbf - KEY_TOLERANCE_S && created <= (key.exp ?? Infinity) + KEY_TOLERANCE_S;
  if (!isInTime) throw new Unverified('it was signed outside the time in which its key signs');
  return key;
}
