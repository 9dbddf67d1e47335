import { createCipheriv, createHmac } from 'node:crypto';

import type { ArtifactStore } from '#lib/event-store';
import type { JsonObject, KeyRing } from '#lib/kernel';
import { Evidence } from '#lib/selfrep';

const NONCE_BYTES = 12;

/** Evidence as artifacts under a key of their own: kid length, kid, nonce, tag, AES-256-GCM of the record. */
export class ForensicEvidence extends Evidence {
  constructor(
    private readonly artifacts: ArtifactStore,
    private readonly ring: KeyRing,
  ) {
    super();
  }

  /** The same record has the same name, so that a repeated report keeps it once. */
  keep(record: JsonObject): Promise<string> {
    const { kid } = this.ring.active('data-key-wrapping');
    const key = this.ring.subkey(this.ring.active('data-key-wrapping'), 'forensic-evidence');
    const plain = Buffer.from(JSON.stringify(record));
    const nonce = createHmac('sha256', key).update(plain).digest().subarray(0, NONCE_BYTES);
    const aes = createCipheriv('aes-256-gcm', key, nonce);
    const body = Buffer.concat([aes.update(plain), aes.final()]);
    const name = Buffer.from(kid);
    return this.artifacts.put(Buffer.concat([Buffer.of(name.length), name, nonce, aes.getAuthTag(), body]));
  }
}
