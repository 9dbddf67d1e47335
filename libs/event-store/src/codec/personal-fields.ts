import { createCipheriv, createDecipheriv } from 'node:crypto';

import { canonicalize, type Json } from '#lib/kernel';

import type { SubjectCipher } from './subject-ciphers.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A personal field as stored: AES-256-GCM under the subject's data key (spec/privacy.md, "Personal fields"). */
export interface EncryptedField {
  readonly $enc: { readonly ct: string; readonly kid: string; readonly nonce: string };
}

/** What a personal field reads as once its key is destroyed. */
export const ERASED = Object.freeze({ $erased: true });

/** The canonical text of the encrypted form of `value`, bound to its event and its place in it. */
export function encryptField(cipher: SubjectCipher, eventId: string, pointer: string, value: unknown): string {
  return encryptText(cipher, eventId, pointer, canonicalize(value));
}

/** As `encryptField`, of a value's canonical text. */
export function encryptText(cipher: SubjectCipher, eventId: string, pointer: string, plain: string): string {
  const place = `${eventId}\n${pointer}`;
  const nonce = Buffer.from(cipher.nonceKey.latin1(`${place}\n${plain}`).slice(0, NONCE_BYTES), 'latin1');
  const aes = createCipheriv('aes-256-gcm', cipher.dataKey, nonce).setAAD(Buffer.from(place));
  const body = aes.update(plain, 'utf8');
  // GCM is a stream: nothing is left for final() but to close the tag.
  aes.final();
  const sealed = Buffer.allocUnsafe(body.length + TAG_BYTES);
  sealed.set(body);
  sealed.set(aes.getAuthTag(), body.length);
  return `{"$enc":{"ct":"${sealed.toString('base64')}","kid":"${cipher.kid}","nonce":"${nonce.toString('base64')}"}}`;
}

/** A personal field does not open with its own key: it was altered, or belongs to another event or place. */
export class UnreadableFieldError extends Error {
  constructor(eventId: string, pointer: string, kid: string, options?: ErrorOptions) {
    super(`field ${pointer} of event ${eventId} does not open with data key ${kid}`, options);
    this.name = 'UnreadableFieldError';
  }
}

/** @throws UnreadableFieldError */
export function decryptField(
  cipher: Pick<SubjectCipher, 'dataKey'>,
  eventId: string,
  pointer: string,
  field: EncryptedField,
): Json {
  const { ct, nonce, kid } = field.$enc;
  try {
    const bytes = Buffer.from(ct, 'base64');
    const aes = createDecipheriv('aes-256-gcm', cipher.dataKey, Buffer.from(nonce, 'base64'), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(`${eventId}\n${pointer}`))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return JSON.parse(aes.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + aes.final('utf8')) as Json;
  } catch (error) {
    throw new UnreadableFieldError(eventId, pointer, kid, { cause: error });
  }
}

export function isEncrypted(value: unknown): value is EncryptedField {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '$enc');
}

/** Exactly `{"$erased": true}`: what somebody stored under that name among others is no erasure. */
export function isErased(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return false;
  return (value as Readonly<Record<string, unknown>>)['$erased'] === true;
}
