import { type CipherKey, createCipheriv, createDecipheriv } from 'node:crypto';

import { canonicalize, type Json, type HmacKey } from '#lib/kernel';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_CHARACTERS = 16;
const GCM = { authTagLength: TAG_BYTES };
/** What a field's bytes lie in while it is opened: rooms of their own cost a fifth of the opening. */
const scratch = Buffer.allocUnsafeSlow(16 * 1024);
const nonceScratch = Buffer.allocUnsafeSlow(NONCE_BYTES);

/** A personal field as stored: AES-256-GCM under the subject's data key (spec/privacy.md, "Personal fields"). */
export interface EncryptedField {
  readonly $enc: { readonly ct: string; readonly kid: string; readonly nonce: string };
}

/** What encrypts somebody's fields. */
export interface FieldCipher {
  readonly kid: string;
  readonly dataKey: CipherKey;
  /** Makes nonces from content, so that deciding again after a crash makes the same bytes. */
  readonly nonceKey: HmacKey;
}

/** What a personal field reads as once its key is destroyed. */
export const ERASED = Object.freeze({ $erased: true });

/** The canonical text of the encrypted form of `value`, bound to its event and its place in it. */
export function encryptField(cipher: FieldCipher, eventId: string, pointer: string, value: unknown): string {
  return encryptText(cipher, eventId, pointer, canonicalize(value));
}

/** As `encryptField`, of a value's canonical text. */
export function encryptText(cipher: FieldCipher, eventId: string, pointer: string, plain: string): string {
  const bytes = Buffer.from(`${eventId}\n${pointer}\n${plain}`);
  const placeEnd = eventId.length + 1 + Buffer.byteLength(pointer);
  const nonce = Buffer.from(cipher.nonceKey.latin1(bytes).slice(0, NONCE_BYTES), 'latin1');
  const aes = createCipheriv('aes-256-gcm', cipher.dataKey, nonce).setAAD(bytes.subarray(0, placeEnd));
  const body = aes.update(bytes.subarray(placeEnd + 1));
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
  cipher: Pick<FieldCipher, 'dataKey'>,
  eventId: string,
  pointer: string,
  field: EncryptedField,
): Json {
  const { ct, nonce, kid } = field.$enc;
  try {
    const bytes = ct.length <= scratch.length ? scratch : Buffer.allocUnsafe(ct.length);
    const end = bytes.write(ct, 'base64') - TAG_BYTES;
    if (end < 0 || nonce.length !== NONCE_CHARACTERS || nonceScratch.write(nonce, 'base64') !== NONCE_BYTES)
      throw new RangeError('no nonce or no tag');
    const aes = createDecipheriv('aes-256-gcm', cipher.dataKey, nonceScratch, GCM);
    aes.setAAD(Buffer.from(`${eventId}\n${pointer}`)).setAuthTag(bytes.subarray(end, end + TAG_BYTES));
    const plain = aes.update(bytes.subarray(0, end));
    // GCM is a stream: final() has nothing left to give, and throws where the tag is another.
    aes.final();
    return JSON.parse(plain.toString()) as Json;
  } catch (error) {
    throw new UnreadableFieldError(eventId, pointer, kid, { cause: error });
  }
}

export function isEncrypted(value: unknown): value is EncryptedField {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '$enc');
}

/**
 * What is wrong with a personal field as stored, null where nothing is. A key can be destroyed and a mark of erasure
 * cannot be written: else whoever signs could take any answer out of the log, and have it called erased.
 * @param value as it stands in the stored event, or as it was opened before
 * @param subject whose event it is; its data keys alone may close the field
 */
export function storedFieldFault(value: unknown, subject: string): string | null {
  if (!isEncrypted(value))
    return isErased(value) && value !== ERASED ? 'says that it is erased, and was never encrypted' : null;
  const parts: Readonly<Record<string, unknown>> | null = Object(value.$enc) === value.$enc ? { ...value.$enc } : null;
  if (parts === null || ['ct', 'kid', 'nonce'].some((name) => typeof parts[name] !== 'string'))
    return 'is not encrypted as a field is';
  return isKeyOf(value.$enc.kid, subject)
    ? null
    : `is encrypted with ${value.$enc.kid.slice(0, 80)}, no key of its subject`;
}

/** `SUBJECT.GENERATION.RANDOM` (see newDataKey); a subject may hold dots, what follows it does not. */
function isKeyOf(kid: string, subject: string): boolean {
  if (!kid.startsWith(subject) || kid[subject.length] !== '.') return false;
  const generationEnd = kid.indexOf('.', subject.length + 1);
  return generationEnd > subject.length + 1 && kid.indexOf('.', generationEnd + 1) < 0;
}

/** Exactly `{"$erased": true}`: what somebody stored under that name among others is no erasure. */
export function isErased(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // The mark first: hardly any object has it, and counting names costs more than looking for one.
  return (value as Readonly<Record<string, unknown>>)['$erased'] === true && Object.keys(value).length === 1;
}
