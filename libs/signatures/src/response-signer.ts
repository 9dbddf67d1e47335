import { createPrivateKey, hash, sign, type KeyObject } from 'node:crypto';

import { requestComponents, SIGNATURE_ALGORITHM, SIGNATURE_LABEL, type SignedRequest } from './covered.js';
import { signatureBase, type Component } from './signature-base.js';

export interface UnsignedAnswer {
  readonly status: number;
  /** Absent where the answer has none. */
  readonly contentType: string | undefined;
  /** The content as it goes over the wire; empty for HEAD and 304. */
  readonly body: string | Uint8Array;
  readonly traceId: string;
  /** Absent where what came could not be read as a request. */
  readonly request: SignedRequest | undefined;
  /** That the request asked for (`nonceAskedFor`). */
  readonly nonce?: string | undefined;
}

export interface SignatureHeaders {
  /** RFC 9530, sha-256. */
  readonly 'content-digest': string;
  /** RFC 9421. */
  readonly 'signature-input': string;
  readonly signature: string;
}

/** What MACE asks of somebody else. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Fields that are covered, by their names in lower case. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

class MessageSigner {
  private readonly key: KeyObject;
  private readonly kid: string;

  /** @param key one of answers' signatures; `secret` is PKCS #8 in DER */
  constructor({ kid, secret }: { readonly kid: string; readonly secret: Buffer }) {
    this.key = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
    this.kid = kid;
  }

  /** @param now milliseconds since the Unix epoch */
  protected sign(
    digest: string,
    components: readonly Component[],
    nonce: string | undefined,
    now: number,
    label: string = SIGNATURE_LABEL,
  ): SignatureHeaders {
    const parameters = new Map<string, string | number>([
      ['created', Math.floor(now / 1000)],
      ['keyid', this.kid],
      ['alg', SIGNATURE_ALGORITHM],
    ]);
    if (nonce !== undefined) parameters.set('nonce', nonce);
    const { params, base } = signatureBase(components, parameters);
    return {
      'content-digest': digest,
      'signature-input': `${label}=${params}`,
      signature: `${label}=:${sign(null, base, this.key).toString('base64')}:`,
    };
  }
}

/** Signs requests of ours (RFC 9421): whoever is asked can tell them from others by `/.well-known/jwks.json`. */
export class RequestSigner extends MessageSigner {
  /** @param now milliseconds since the Unix epoch */
  headersFor({ method, url, fields, body }: UnsignedRequest, nonce: string, now: number): SignatureHeaders {
    const digest = contentDigest(body);
    const components: Component[] = [
      ...derivedOf({ method, url }),
      ...Object.entries(fields).map(([name, value]) => ({ name, value })),
      { name: 'content-digest', value: digest },
    ];
    return this.sign(digest, components, nonce, now);
  }
}

/** What a request is called by. */
export function derivedOf({ method, url }: Pick<UnsignedRequest, 'method' | 'url'>): readonly Component[] {
  return [
    { name: '@method', value: method },
    { name: '@authority', value: url.host },
    { name: '@path', value: url.pathname },
    ...(url.search === '' ? [] : [{ name: '@query', value: url.search }]),
  ];
}

/** What somebody else answers to a request of ours. */
export interface UnsignedReply {
  readonly status: number;
  readonly body: string | Uint8Array;
  /** `Signature` of the request as it came. */
  readonly requestSignature: string;
}

/** Signs answers to requests of ours, as whoever is asked may do: the signature of the request binds it to that one. */
export class ReplySigner extends MessageSigner {
  /** @param now milliseconds since the Unix epoch */
  headersFor({ status, body, requestSignature }: UnsignedReply, now: number): SignatureHeaders {
    const digest = contentDigest(body);
    const components: Component[] = [
      { name: '@status', value: String(status) },
      { name: 'content-digest', value: digest },
      { name: 'signature', ofRequest: true, value: requestSignature },
    ];
    return this.sign(digest, components, undefined, now, 'agent');
  }
}

/** Signs answers: Content-Digest and an HTTP message signature (RFC 9421). */
export class ResponseSigner extends MessageSigner {
  /** @param now milliseconds since the Unix epoch */
  headersFor({ status, contentType, body, traceId, request, nonce }: UnsignedAnswer, now: number): SignatureHeaders {
    const digest = contentDigest(body);
    const components: Component[] = [
      { name: '@status', value: String(status) },
      ...(contentType === undefined ? [] : [{ name: 'content-type', value: contentType }]),
      { name: 'content-digest', value: digest },
      { name: 'x-trace-id', value: traceId },
      ...(request === undefined ? [] : requestComponents(request)),
    ];
    return this.sign(digest, components, nonce, now);
  }
}

/** RFC 9530. */
export function contentDigest(body: string | Uint8Array): string {
  return `sha-256=:${hash('sha256', body, 'base64')}:`;
}
