import { createHash, createPublicKey, timingSafeEqual, verify } from 'node:crypto';

import { UnverifiedAnswerError } from './errors.js';
import type { WireAnswer } from './transport.js';

/** Signed answers (RFC 9421 and RFC 9530; docs/security.md). */

/** A key of /.well-known/jwks.json. */
export interface ResponseKey {
  readonly kid: string;
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
}

/** What a signature has to cover, so that an answer cannot be given for another one. */
const COVERED = ['"@status"', '"content-digest"', '"x-trace-id"', '"@method";req', '"@path";req'];
const SIGNED = /^mace=(\(([^()]*)\);created=[0-9]+;keyid="([^"\\]+)";alg="ed25519")$/;
const SIGNATURE = /^mace=:([A-Za-z0-9+/]+={0,2}):$/;

/** The kid that an answer names. @throws UnverifiedAnswerError */
export function keyNamedBy(answer: WireAnswer): string {
  return partsOf(answer).kid;
}

/**
 * @param target as it was sent; the query is not signed
 * @throws UnverifiedAnswerError where this is not what the key's holder answered to this request
 */
export function verifyAnswer(answer: WireAnswer, method: string, target: string, key: ResponseKey): void {
  const { params, components, signature } = partsOf(answer);
  const missing = COVERED.find((component) => !components.includes(component));
  if (missing !== undefined) throw new UnverifiedAnswerError(`its signature does not cover ${missing}`);
  if (answer.headers['content-type'] !== undefined && !components.includes('"content-type"'))
    throw new UnverifiedAnswerError('its signature does not cover "content-type"');
  const digest = Buffer.from(`sha-256=:${createHash('sha256').update(answer.body).digest('base64')}:`);
  const said = Buffer.from(answer.headers['content-digest'] ?? '');
  if (digest.length !== said.length || !timingSafeEqual(digest, said))
    throw new UnverifiedAnswerError('its content is not that of its Content-Digest');
  const values: Readonly<Record<string, string | undefined>> = {
    '"@status"': String(answer.status),
    '"@method";req': method,
    '"@path";req': target.split('?')[0],
  };
  const lines = components.map((component) => {
    const value = values[component] ?? answer.headers[component.slice(1, -1)];
    if (value === undefined) throw new UnverifiedAnswerError(`it has no ${component}`);
    return `${component}: ${value}\n`;
  });
  const base = Buffer.from(`${lines.join('')}"@signature-params": ${params}`, 'latin1');
  const { kty, crv, x } = key;
  if (!verify(null, base, createPublicKey({ key: { kty, crv, x }, format: 'jwk' }), signature))
    throw new UnverifiedAnswerError('its signature does not fit');
}

interface Parts {
  readonly params: string;
  readonly components: readonly string[];
  readonly kid: string;
  readonly signature: Buffer;
}

function partsOf({ headers }: WireAnswer): Parts {
  const input = SIGNED.exec(headers['signature-input'] ?? '');
  const signature = SIGNATURE.exec(headers['signature'] ?? '');
  if (!input || !signature) throw new UnverifiedAnswerError('it carries no signature of this form');
  const [, params = '', list = '', kid = ''] = input;
  return { params, components: list.split(' '), kid, signature: Buffer.from(signature[1]!, 'base64') };
}
