import { createPublicKey, verify } from 'node:crypto';

import { requestComponents, SIGNATURE_ALGORITHM, SIGNATURE_LABEL, type SignedRequest } from './covered.js';
import { ourMember, ParseError, type Member } from './dictionary.js';
import type { ResponseKey } from './response-key.js';
import { contentDigest } from './response-signer.js';
import { identifierOf, signatureBase, type Component } from './signature-base.js';

/** An answer as it was received, and what had been asked. */
export interface ReceivedAnswer {
  readonly status: number;
  /** In the order received; names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly request: SignedRequest & {
    /** `X-Trace-Id` as it was sent; where absent, any trace will do. */
    readonly traceId?: string | undefined;
    /** As `acceptSignature` sent it; where absent, an answer to any request of this method and target will do. */
    readonly nonce?: string | undefined;
  };
}

/** When an answer may have been signed. */
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

/** How far the clocks of server and reader may be apart, seconds. */
export const CLOCK_SKEW_S = 300;
/** How far the clocks of signer and key ring may be apart, seconds. */
const KEY_TOLERANCE_S = 2;

/**
 * Whether this is what the server answered to this request: the content is the digest's, and the signature covers status,
 * type, trace, method, path and query and was made by one of the keys in its time. Everything else about the answer may
 * have been changed.
 * @param age any age where absent
 */
export function verifyAnswer(answer: ReceivedAnswer, keys: readonly ResponseKey[], age?: AgeLimit): Verdict {
  try {
    return { verified: true, ...checked(answer, keys, age) };
  } catch (error) {
    if (error instanceof UnknownKey) return { verified: false, reason: error.message, unknownKey: true };
    if (error instanceof Unverified) return { verified: false, reason: error.message };
    if (error instanceof ParseError)
      return { verified: false, reason: `Signature or Signature-Input: not a structured field (${error.message})` };
    throw error;
  }
}

class Unverified extends Error {}
class UnknownKey extends Unverified {}

function checked(
  answer: ReceivedAnswer,
  keys: readonly ResponseKey[],
  age: AgeLimit | undefined,
): { kid: string; created: number } {
  const { list, parameters, keyid, created } = inputOf(answer);
  const ofRequest = requestComponents(answer.request);
  const components = list.map((item) => componentOf(answer, ofRequest, item));
  refuseGaps(answer, ofRequest, components.map(identifierOf));
  if (fieldOf(answer, 'content-digest') !== contentDigest(answer.body))
    throw new Unverified('the content is not what Content-Digest says: it was changed or cut off');
  const key = keyOf(keys, keyid, created);
  const { base } = signatureBase(components, parameters);
  const publicKey = createPublicKey({ key: { kty: key.kty, crv: key.crv, x: key.x }, format: 'jwk' });
  if (!verify(null, base, publicKey, signatureOf(answer)))
    throw new Unverified(
      'the signature is not of this answer to this request: method, path, query, status or a header differs',
    );
  refuseOthers(answer, parameters.get('nonce'));
  if (age) refuseAge(created, age);
  return { kid: keyid, created };
}

function inputOf(answer: ReceivedAnswer) {
  const [list, given] = memberOf(answer, 'signature-input');
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

function signatureOf(answer: ReceivedAnswer): Uint8Array {
  const [value] = memberOf(answer, 'signature');
  if (!(value instanceof ArrayBuffer)) throw new Unverified(`Signature: ${SIGNATURE_LABEL} is no byte sequence`);
  return new Uint8Array(value);
}

function memberOf(answer: ReceivedAnswer, field: string): Member {
  const text = fieldOf(answer, field);
  if (text === undefined) throw new Unverified(`the answer is not signed: it has no ${field} header`);
  const member = ourMember(text);
  if (!member) throw new Unverified(`the answer is not signed by MACE: ${field} has no member ${SIGNATURE_LABEL}`);
  return member;
}

function componentOf(answer: ReceivedAnswer, request: readonly Component[], [name, parameters]: Member): Component {
  const ofRequest = parameters.get('req') === true;
  if (typeof name !== 'string' || parameters.size !== (ofRequest ? 1 : 0))
    throw new Unverified('the signature covers something that cannot be checked here');
  const value = ofRequest ? request.find((one) => one.name === name)?.value : ofTheAnswer(answer, name);
  if (value === undefined) throw new Unverified(`the signature covers ${name}, which is not there`);
  return { name, value, ofRequest };
}

function ofTheAnswer(answer: ReceivedAnswer, name: string): string | undefined {
  if (name === '@status') return String(answer.status);
  return /^[a-z0-9-]+$/.test(name) ? fieldOf(answer, name) : undefined;
}

/** A field's value as it is signed: the lines of that name in order, trimmed (RFC 9421, section 2.1). */
function fieldOf({ headers }: ReceivedAnswer, name: string): string | undefined {
  const lines = headers.filter(([found]) => found.toLowerCase() === name).map(([, value]) => value.trim());
  return lines.length === 0 ? undefined : lines.join(', ');
}

/** A signature over less than everything would be a true one of somebody's choice. */
function refuseGaps(answer: ReceivedAnswer, request: readonly Component[], covered: readonly string[]): void {
  if (new Set(covered).size !== covered.length) throw new Unverified('the signature covers something twice');
  const typed = fieldOf(answer, 'content-type') === undefined ? [] : ['content-type'];
  const ofAnswer = ['@status', 'content-digest', 'x-trace-id', ...typed].map((name) => ({ name }));
  const gap = [...ofAnswer, ...request].map(identifierOf).find((identifier) => !covered.includes(identifier));
  if (gap !== undefined) throw new Unverified(`the signature does not cover ${gap}`);
}

/** Answers to another request of the same method and target. */
function refuseOthers(answer: ReceivedAnswer, signedNonce: unknown): void {
  const { nonce, traceId } = answer.request;
  if (nonce !== undefined && signedNonce !== nonce)
    throw new Unverified(
      signedNonce === undefined
        ? 'the signature carries no nonce: it answers another request, or the server is of a release before 0.2'
        : 'the signature carries another nonce: it answers another request',
    );
  if (traceId !== undefined && fieldOf(answer, 'x-trace-id') !== traceId)
    throw new Unverified('its X-Trace-Id is not the one that was sent');
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
