import type { KeyWrapping } from '../key-wrapping.js';
import type { WrappedKey } from '../subject-keys.js';

/**
 * For a folder that is moved from one key-encryption key to another: what the former wrapped is still opened by it, and
 * wrapped by the other one from then on.
 */
export class MovedKeyWrapping implements KeyWrapping {
  /** @param isFormer whether the former wrapped this key */
  constructor(
    private readonly current: KeyWrapping,
    private readonly former: KeyWrapping,
    private readonly isFormer: (key: WrappedKey) => boolean,
  ) {}

  wrap(kid: string, dataKey: Uint8Array): Promise<WrappedKey> {
    return this.current.wrap(kid, dataKey);
  }

  unwrap(key: WrappedKey): Promise<Buffer> {
    return this.isFormer(key) ? this.former.unwrap(key) : this.current.unwrap(key);
  }

  async rewrap(key: WrappedKey): Promise<WrappedKey | null> {
    if (!this.isFormer(key)) return this.current.rewrap(key);
    return this.current.wrap(key.kid, await this.former.unwrap(key));
  }
}
