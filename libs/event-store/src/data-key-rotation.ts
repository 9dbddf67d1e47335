import { newDataKey, SubjectRefusedError } from './codec/subject-ciphers.js';
import { type KeyWrapping } from './key-wrapping.js';
import { kidOf, type SubjectKeyStore } from './subject-keys.js';

export interface Rewrapped {
  /** Data keys that were looked at. */
  readonly seen: number;
  /** Of those, how many are under the newest key-encryption key only now. */
  readonly rewrapped: number;
}

const PAGE = 200;

/**
 * Brings every data key under the newest key-encryption key; events are not touched. Broken off at any point it is simply
 * run again: what is done is passed over, and a key is readable before, during and after.
 * @throws UnusableSubjectKeyError, KeyServiceError, and what the store throws
 */
export async function rewrapDataKeys(
  store: SubjectKeyStore,
  wrapping: KeyWrapping,
  onProgress: (progress: Rewrapped) => void = () => undefined,
): Promise<Rewrapped> {
  let progress: Rewrapped = { seen: 0, rewrapped: 0 };
  let after: string | null = null;
  do {
    const { keys, next } = await store.present(after, PAGE);
    for (const key of keys) {
      const again = await wrapping.rewrap(key);
      // False where the key was destroyed meanwhile: then there is nothing to bring anywhere.
      const done = again !== null && (await store.rewrap(again));
      progress = { seen: progress.seen + 1, rewrapped: progress.rewrapped + (done ? 1 : 0) };
    }
    onProgress(progress);
    after = next;
  } while (after !== null);
  return progress;
}

/**
 * Gives a subject a new data key for what is stored from now on, in other processes after at most UNWRAPPED_KEY_MS; what
 * is stored already stays readable under the key before it.
 * @returns both kids; null where the subject has no key that could be replaced
 * @throws SubjectRefusedError while the subject is being erased; KeyServiceError, and what the store throws
 */
export async function rotateSubjectKey(
  store: SubjectKeyStore,
  wrapping: KeyWrapping,
  subject: string,
): Promise<{ readonly kid: string; readonly previousKid: string } | null> {
  const records = await store.listFor(subject);
  const last = records.at(-1);
  if (!last || last.state === 'destroyed') return null;
  if (last.state === 'refused') throw new SubjectRefusedError();
  const made = await store.create(subject, await newDataKey(wrapping, subject, records.length + 1));
  if (made.state !== 'present') throw new SubjectRefusedError();
  return { kid: kidOf(made), previousKid: kidOf(last) };
}
