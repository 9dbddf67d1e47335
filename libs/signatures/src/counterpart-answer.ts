import { createPublicKey, verify } from 'node:crypto';
import { parseDictionary } from 'structured-headers';

import { type Member, ParseError } from './dictionary.js';
import { contentDigest } from './response-signer.js';
import { identifierOf, signatureBase } from './signature-base.js';

/** What somebody else answered to a request that `RequestSigner` signed. */
export interface CounterpartAnswer {
  readonly status: number;
  /** Fields of the answer; undefined where it has none. */
  readonly digest: string | undefined;
  readonly input: string | undefined;
  readonly signature: string | undefined;
  readonly body: Uint8Array;
  /** The `signature` field of the request: with its nonce in it, an answer fits no other request. */
  readonly requestSignature: string;
}

const COVERED = ['"@status"', '"content-digest"', '"signature";req'];

/**
 * Whether the holder of a key answered this to that request (RFC 9421, Ed25519): the signature covers the status, the
 * digest of the content, and the signature of the request, in this order and under any label.
 * @param publicKey 32 bytes in base64url
 * @returns what is wrong, in words without content; null where nothing is
 */
export function answerFault(answer: CounterpartAnswer, publicKey: string): string | null {
  const { status, digest, input, signature, body, requestSignature } = answer;
  if (digest === undefined || input === undefined || signature === undefined) return 'it is not signed';
  if (digest !== contentDigest(body)) return 'its content is not what Content-Digest says';
  try {
    const [label, member] = first(input);
    const value = first(signature, label)[1][0];
    const parameters = plainParameters(member);
    if (parameters === null || !(value instanceof ArrayBuffer)) return 'its signature has another form';
    const components = [
      { name: '@status', value: String(status) },
      { name: 'content-digest', value: digest },
      { name: 'signature', ofRequest: true, value: requestSignature },
    ];
    const { base } = signatureBase(components, parameters);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, base, key, new Uint8Array(value))
      ? null
      : 'its signature is another key’s, or of another answer';
  } catch (error) {
    if (error instanceof ParseError) return 'its signature has another form';
    throw error;
  }
}

/** The member of this label, or the first one. @throws ParseError */
function first(text: string, label?: string): readonly [label: string, member: Member] {
  const members = parseDictionary(text) as ReadonlyMap<string, Member>;
  for (const [name, member] of members) if (label === undefined || name === label) return [name, member];
  throw new ParseError(0, 'no member');
}

/** Of a signature over what is covered here and nothing else; null for any other. */
function plainParameters([list, given]: Member): Map<string, string | number> | null {
  if (!Array.isArray(list)) return null;
  const covered = (list as readonly Member[]).map(([name, parameters]) => {
    const ofRequest = parameters.get('req') === true;
    return parameters.size > (ofRequest ? 1 : 0) ? '' : identifierOf({ name: String(name), ofRequest });
  });
  if (covered.join(' ') !== COVERED.join(' ')) return null;
  const parameters = new Map<string, string | number>();
  for (const [name, value] of given) {
    if (typeof value !== 'string' && typeof value !== 'number') return null;
    parameters.set(name, value);
  }
  return parameters;
}
