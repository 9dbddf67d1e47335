import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { equalInConstantTime } from '#lib/kernel';

import { DATA_KEY_BYTES, KeyServiceError, type KeyWrapping, UnusableSubjectKeyError } from '../key-wrapping.js';
import type { WrappedKey } from '../subject-keys.js';

/** Where the key-encryption key is, and how one is let in. */
export interface VaultTransitOptions {
  /** Such as `https://vault.internal:8200`. */
  readonly url: string;
  /** Where the transit engine is mounted; `transit` by default. */
  readonly mount?: string;
  /** Name of the key there; aes256-gcm96, made beforehand. */
  readonly key: string;
  /** A file is read at each request, so that an agent may renew the token in it. */
  readonly token: { readonly file: string } | { readonly value: string };
  /** For each request, ms. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 64 * 1024;
const CIPHERTEXT = /^vault:v([1-9][0-9]{0,8}):[A-Za-z0-9+/]+={0,2}$/;
const KID_HASH_BYTES = 32;

type Action = 'encrypt' | 'decrypt' | 'rewrap';

/**
 * Wraps by a key that never leaves a key service with the interface of Vault's transit engine. What is wrapped is the
 * data key after the SHA-256 of its kid, so that a wrapped key that was moved under another kid is found out: rewrapping
 * there takes no associated data.
 */
export class VaultTransitWrapping implements KeyWrapping {
  private readonly mount: string;
  private readonly timeoutMs: number;

  constructor(private readonly options: VaultTransitOptions) {
    this.mount = options.mount ?? 'transit';
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  async wrap(kid: string, dataKey: Uint8Array): Promise<WrappedKey> {
    const plaintext = Buffer.concat([kidHash(kid), dataKey]).toString('base64');
    return this.wrapped(kid, await this.ask('encrypt', { plaintext }));
  }

  async unwrap(key: WrappedKey): Promise<Buffer> {
    const { plaintext } = await this.ask('decrypt', { ciphertext: key.wrapped }, key.kid);
    if (typeof plaintext !== 'string') throw new KeyServiceError('answered decrypt without a plaintext');
    const bytes = Buffer.from(plaintext, 'base64');
    if (bytes.length !== KID_HASH_BYTES + DATA_KEY_BYTES) {
      throw new UnusableSubjectKeyError(key.kid, 'opens to something that is no data key');
    }
    const named = bytes.toString('hex', 0, KID_HASH_BYTES);
    if (!equalInConstantTime(named, kidHash(key.kid).toString('hex'))) {
      throw new UnusableSubjectKeyError(key.kid, 'was wrapped under another kid');
    }
    return bytes.subarray(KID_HASH_BYTES);
  }

  async rewrap(key: WrappedKey): Promise<WrappedKey | null> {
    const again = this.wrapped(key.kid, await this.ask('rewrap', { ciphertext: key.wrapped }, key.kid));
    return again.wrappedBy === key.wrappedBy ? null : again;
  }

  /** Has the service make a new version of the key; the earlier ones still unwrap. @throws KeyServiceError */
  async rotate(): Promise<void> {
    await this.post('keys', '/rotate', {});
  }

  private wrapped(kid: string, { ciphertext }: Readonly<Record<string, unknown>>): WrappedKey {
    const version = typeof ciphertext === 'string' ? CIPHERTEXT.exec(ciphertext)?.[1] : undefined;
    if (version === undefined) throw new KeyServiceError('answered without a ciphertext of the form vault:v1:...');
    return { kid, wrapped: ciphertext as string, wrappedBy: `vault:${this.mount}/${this.options.key}:v${version}` };
  }

  private async ask(action: Action, body: object, kid?: string): Promise<Readonly<Record<string, unknown>>> {
    const { status, text } = await this.post(action, '', body);
    if (status === 400 && kid !== undefined) {
      throw new UnusableSubjectKeyError(kid, `does not open with the key service’s ${this.options.key}`);
    }
    if (status !== 200) throw new KeyServiceError(faultOf(status));
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch (error) {
      throw new KeyServiceError(`answered ${action} with what is no JSON`, { cause: error });
    }
    const data = isObject(answer) ? answer['data'] : undefined;
    if (!isObject(data)) throw new KeyServiceError(`answered ${action} without data`);
    return data;
  }

  private async post(action: Action | 'keys', more: string, body: object): Promise<{ status: number; text: string }> {
    const { url, key } = this.options;
    const path = `/v1/${this.mount}/${action}/${encodeURIComponent(key)}${more}`;
    const headers = { 'content-type': 'application/json', 'x-vault-token': this.token(), 'x-vault-request': 'true' };
    try {
      // A redirect would take the token elsewhere.
      const response = await fetch(new URL(path, url), {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      const text = await textOf(response);
      if (action === 'keys' && ![200, 204].includes(response.status))
        throw new KeyServiceError(faultOf(response.status));
      return { status: response.status, text };
    } catch (error) {
      if (error instanceof KeyServiceError) throw error;
      const late = (error as { readonly name?: unknown }).name === 'TimeoutError';
      throw new KeyServiceError(late ? `did not answer within ${this.timeoutMs} ms` : 'cannot be reached', {
        cause: error,
      });
    }
  }

  private token(): string {
    const { token } = this.options;
    if ('value' in token) return token.value;
    let text: string;
    try {
      text = readFileSync(token.file, 'utf8').trim();
    } catch (error) {
      throw new KeyServiceError(`cannot be asked: its token file ${token.file} cannot be read`, { cause: error });
    }
    if (!/^[\x21-\x7e]{1,4096}$/.test(text)) {
      throw new KeyServiceError(`cannot be asked: its token file ${token.file} holds no token`);
    }
    return text;
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > MAX_ANSWER_BYTES) throw new KeyServiceError(`answered with more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** In our words: what the service says of itself might hold what it was asked. */
function faultOf(status: number): string {
  if (status === 401 || status === 403) return `refuses the token (${status})`;
  if (status === 404) return 'knows no such key or mount (404)';
  if (status === 429) return 'takes no more requests for now (429)';
  if (status === 503) return 'is sealed or in maintenance (503)';
  return `answered with status ${status}`;
}

function kidHash(kid: string): Buffer {
  return createHash('sha256').update(kid, 'utf8').digest();
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
