import { SIGNATURE_LABEL } from './covered.js';
import { ourMember, ParseError } from './dictionary.js';

/** How a request asks that the signature of its answer carries its nonce (RFC 9421, section 5.1). */

const NONCE = /^[A-Za-z0-9._~+/=-]{1,128}$/;
/** A longer header is passed over: it is read before anybody is known. */
const MOST_CHARACTERS = 1_024;
const COVERED =
  '("@status" "content-type" "content-digest" "x-trace-id" "@method";req "@path";req "@query";req);created';

/** `Accept-Signature` of a request. @param nonce 1 to 128 of `A-Za-z0-9._~+/=-` */
export function acceptSignature(nonce: string): string {
  return `${SIGNATURE_LABEL}=${COVERED};nonce="${nonce}"`;
}

/**
 * The nonce that a request asks for. What else it asks for is passed over: every answer is signed in one way.
 * @returns undefined where it asks for none, or not in this form
 */
export function nonceAskedFor(header: string | readonly string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.length > MOST_CHARACTERS) return undefined;
  try {
    const nonce = ourMember(header)?.[1].get('nonce');
    return typeof nonce === 'string' && NONCE.test(nonce) ? nonce : undefined;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
