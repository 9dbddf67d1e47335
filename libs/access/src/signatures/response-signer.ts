import { createPrivateKey, hash, sign, type KeyObject } from 'node:crypto';

import type { KeyRing } from '#lib/kernel';

/** The name of our signature among those that others may add on the way. */
export const SIGNATURE_LABEL = 'mace';
export const SIGNATURE_ALGORITHM = 'ed25519';

/** What of an answer its signature covers (spec/privacy.md, "Who may do what"). */
export interface UnsignedAnswer {
  readonly status: number;
  /** Absent where the answer has none. */
  readonly contentType: string | undefined;
  /** The content as it goes over the wire; empty for HEAD and 304. */
  readonly body: string | Uint8Array;
  readonly traceId: string;
  /** Absent where what came could not be read as a request. */
  readonly request: { readonly method: string; readonly path: string } | undefined;
}

export interface SignatureHeaders {
  /** RFC 9530, sha-256. */
  readonly 'content-digest': string;
  /** RFC 9421. */
  readonly 'signature-input': string;
  readonly signature: string;
}

/** Signs answers with the ring's response-signature key: Content-Digest and an HTTP message signature (RFC 9421). */
export class ResponseSigner {
  private readonly key: KeyObject;
  private readonly keyParameters: string;

  /** @throws Error where no such key is active */
  constructor(ring: KeyRing) {
    const { kid, secret } = ring.active('response-signature');
    this.key = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
    this.keyParameters = `;keyid="${kid}";alg="${SIGNATURE_ALGORITHM}"`;
  }

  /**
   * Written out instead of going through `signatureBase`: this runs for every answer. A test holds both to the same text.
   * @param now milliseconds since the Unix epoch
   */
  headersFor({ status, contentType, body, traceId, request }: UnsignedAnswer, now: number): SignatureHeaders {
    const digest = `sha-256=:${hash('sha256', body, 'base64')}:`;
    let list = '("@status"';
    let base = `"@status": ${status}\n`;
    if (contentType !== undefined) {
      list += ' "content-type"';
      base += `"content-type": ${contentType}\n`;
    }
    list += ' "content-digest" "x-trace-id"';
    base += `"content-digest": ${digest}\n"x-trace-id": ${traceId}\n`;
    if (request !== undefined) {
      list += ' "@method";req "@path";req';
      base += `"@method";req: ${request.method}\n"@path";req: ${request.path}\n`;
    }
    const params = `${list});created=${Math.floor(now / 1000)}${this.keyParameters}`;
    // A path may hold bytes beyond ASCII; Node gives each as one character.
    const signature = sign(null, Buffer.from(`${base}"@signature-params": ${params}`, 'latin1'), this.key);
    return {
      'content-digest': digest,
      'signature-input': `${SIGNATURE_LABEL}=${params}`,
      signature: `${SIGNATURE_LABEL}=:${signature.toString('base64')}:`,
    };
  }
}
