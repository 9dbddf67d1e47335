import { createPublicKey, hash, verify } from 'node:crypto';

import type { ResponseKey } from './response-keys.js';
import { SIGNATURE_ALGORITHM, SIGNATURE_LABEL } from './response-signer.js';
import { identifierOf, signatureBase, signatureParams, type Component } from './signature-base.js';
import { parseDictionary, StructuredFieldError, type ListItem, type Member } from './structured-fields.js';

/** An answer as it was received, and what had been asked. */
export interface ReceivedAnswer {
  readonly status: number;
  /** In the order received; names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly request: {
    readonly method: string;
    /** As sent, without the query. */
    readonly path: string;
  };
}

export type Verdict =
  | { readonly verified: true; readonly kid: string; /** Seconds since the Unix epoch. */ readonly created: number }
  | { readonly verified: false; readonly reason: string };

/** How far the clocks of signer and key ring may be apart, seconds. */
const CLOCK_TOLERANCE_S = 2;
const ALWAYS_COVERED = ['"@status"', '"content-digest"', '"x-trace-id"', '"@method";req', '"@path";req'];

/**
 * Whether this is what the server answered to this request: the content is the digest's, and the signature covers all that
 * spec/privacy.md lists and was made by one of the keys in its time. Everything else about the answer may have been changed.
 */
export function verifyAnswer(answer: ReceivedAnswer, keys: readonly ResponseKey[]): Verdict {
  try {
    return { verified: true, ...checked(answer, keys) };
  } catch (error) {
    if (error instanceof Unverified) return { verified: false, reason: error.message };
    if (error instanceof StructuredFieldError)
      return { verified: false, reason: `Signature or Signature-Input: ${error.message}` };
    throw error;
  }
}

class Unverified extends Error {}

function checked(answer: ReceivedAnswer, keys: readonly ResponseKey[]): { kid: string; created: number } {
  const { list, params, keyid, created } = inputOf(answer);
  const components = list.map((item) => componentOf(answer, item));
  const covered = components.map(identifierOf);
  refuseGaps(answer, covered);
  const digest = `sha-256=:${hash('sha256', answer.body, 'base64')}:`;
  if (fieldOf(answer, 'content-digest') !== digest)
    throw new Unverified('the content is not what Content-Digest says: it was changed or cut off');
  const key = keyOf(keys, keyid, created);
  const base = Buffer.from(signatureBase(components, signatureParams(covered, params)), 'latin1');
  const publicKey = createPublicKey({ key: { kty: key.kty, crv: key.crv, x: key.x }, format: 'jwk' });
  if (!verify(null, base, publicKey, signatureOf(answer)))
    throw new Unverified(
      'the signature is not of this answer to this request: method, path, status or a header differs',
    );
  return { kid: keyid, created };
}

function inputOf(answer: ReceivedAnswer) {
  const { value, parameters } = memberOf(answer, 'signature-input');
  if (!Array.isArray(value)) throw new Unverified('Signature-Input lists no components');
  const params = [...parameters].map(([name, item]): [string, string | number] => {
    if (typeof item === 'number' || typeof item === 'string') return [name, item];
    throw new Unverified(`Signature-Input: its parameter ${name} is neither text nor number`);
  });
  const keyid = parameters.get('keyid');
  const created = parameters.get('created');
  const algorithm = parameters.get('alg') ?? SIGNATURE_ALGORITHM;
  if (typeof keyid !== 'string' || typeof created !== 'number')
    throw new Unverified('Signature-Input: keyid and created are needed');
  if (algorithm !== SIGNATURE_ALGORITHM) throw new Unverified(`Signature-Input: alg is not ${SIGNATURE_ALGORITHM}`);
  return { list: value as readonly ListItem[], params, keyid, created };
}

function signatureOf(answer: ReceivedAnswer): Buffer {
  const { value } = memberOf(answer, 'signature');
  if (!Buffer.isBuffer(value)) throw new Unverified(`Signature: ${SIGNATURE_LABEL} is no byte sequence`);
  return value;
}

function memberOf(answer: ReceivedAnswer, field: string): Member {
  const text = fieldOf(answer, field);
  if (text === undefined) throw new Unverified(`the answer is not signed: it has no ${field} header`);
  const member = parseDictionary(text).get(SIGNATURE_LABEL);
  if (!member) throw new Unverified(`the answer is not signed by MACE: ${field} has no member ${SIGNATURE_LABEL}`);
  return member;
}

function componentOf(answer: ReceivedAnswer, { value: name, parameters }: ListItem): Component {
  const ofRequest = parameters.get('req') === true;
  if (typeof name !== 'string' || parameters.size !== (ofRequest ? 1 : 0))
    throw new Unverified('the signature covers something that cannot be checked here');
  const value = ofRequest ? ofTheRequest(answer, name) : ofTheAnswer(answer, name);
  if (value === undefined) throw new Unverified(`the signature covers ${name}, which is not there`);
  return { name, value, ...(ofRequest ? { ofRequest } : {}) };
}

function ofTheRequest({ request }: ReceivedAnswer, name: string): string | undefined {
  if (name === '@method') return request.method;
  return name === '@path' ? request.path : undefined;
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
function refuseGaps(answer: ReceivedAnswer, covered: readonly string[]): void {
  if (new Set(covered).size !== covered.length) throw new Unverified('the signature covers something twice');
  const typed = fieldOf(answer, 'content-type') === undefined ? [] : ['"content-type"'];
  const gap = [...ALWAYS_COVERED, ...typed].find((identifier) => !covered.includes(identifier));
  if (gap !== undefined) throw new Unverified(`the signature does not cover ${gap}`);
}

function keyOf(keys: readonly ResponseKey[], kid: string, created: number): ResponseKey {
  const key = keys.find((one) => one.kid === kid && one.kty === 'OKP' && one.crv === 'Ed25519');
  if (!key) throw new Unverified('its key is not among those given');
  const from = key.nbf - CLOCK_TOLERANCE_S;
  const to = (key.exp ?? Infinity) + CLOCK_TOLERANCE_S;
  if (created < from || created > to) throw new Unverified('it was signed outside the time in which its key signs');
  return key;
}
