import { StoreUnavailableError } from './port.js';
import type { WrappedKey } from './subject-keys.js';

/** What people's data keys are wrapped with: the key-encryption key, wherever it is (spec/privacy.md, "Personal fields"). */
export interface KeyWrapping {
  /**
   * A data key of 32 bytes under the newest key-encryption key; `wrappedBy` names that key and its version.
   * @throws KeyServiceError
   */
  wrap(kid: string, dataKey: Uint8Array): Promise<WrappedKey>;
  /** @throws UnusableSubjectKeyError where the key is damaged, stands under another kid or its wrapping key is gone; KeyServiceError */
  unwrap(key: WrappedKey): Promise<Buffer>;
  /**
   * The same data key under the newest key-encryption key; null where it is under that one already.
   * @throws as unwrap
   */
  rewrap(key: WrappedKey): Promise<WrappedKey | null>;
}

export const DATA_KEY_BYTES = 32;

/** A data key that is there and cannot be unwrapped: damaged, or wrapped by a key that is not to be had. */
export class UnusableSubjectKeyError extends Error {
  constructor(kid: string, reason: string, options?: ErrorOptions) {
    super(`data key ${kid} ${reason}`, options);
    this.name = 'UnusableSubjectKeyError';
  }
}

/** The service that holds the key-encryption key did not do what it was asked; nothing was written. */
export class KeyServiceError extends StoreUnavailableError {
  constructor(reason: string, options?: ErrorOptions) {
    super(`the key service ${reason}`, options);
    this.name = 'KeyServiceError';
  }
}
