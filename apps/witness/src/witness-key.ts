import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';

import { rawPublicKey } from '#lib/proof';
import { COSIGNATURE, cosignatureMessage, formatVkey, noteKeyId, signatureLine } from '#lib/verifier';

/** The key of the witness cannot be used; the message says why. */
export class WitnessKeyError extends Error {
  override readonly name = 'WitnessKeyError';
}

/** Signs checkpoints at a time (c2sp.org/tlog-cosignature, Ed25519). */
export class WitnessKey {
  readonly vkey: string;
  private readonly keyId: string;

  private constructor(
    readonly name: string,
    private readonly secret: KeyObject,
  ) {
    const raw = rawPublicKey(secret);
    this.vkey = formatVkey(name, COSIGNATURE, raw);
    this.keyId = noteKeyId(name, COSIGNATURE, raw);
  }

  /** Drawn at the first start, mode 0600. @throws WitnessKeyError */
  static open(path: string, name = `mace.local/witness-${randomBytes(4).toString('hex')}`): WitnessKey {
    if (!existsSync(path)) {
      const drawn = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
      writeFileSync(path, `${name}\n${String(drawn)}`, { mode: 0o600, flag: 'wx', flush: true });
    }
    const kind = statSync(path);
    if (!kind.isFile())
      throw new WitnessKeyError(
        `${path} is ${kind.isDirectory() ? 'a folder' : 'no file'}; restore the file from a backup`,
      );
    if ((kind.mode & 0o077) !== 0) throw new WitnessKeyError(`${path} is open to other users; chmod 600 ${path}`);
    const [kept = '', ...pem] = readFileSync(path, 'utf8').split('\n');
    try {
      return new WitnessKey(kept, createPrivateKey(pem.join('\n')));
    } catch {
      throw new WitnessKeyError(`${path} holds no key; restore it from a backup: a new key is a new witness`);
    }
  }

  /** One signature line. @param time POSIX seconds */
  cosign(text: string, time: number): string {
    const at = Buffer.alloc(8);
    at.writeBigUInt64BE(BigInt(time));
    const signature = sign(null, Buffer.from(cosignatureMessage(text, time)), this.secret);
    return signatureLine(this.name, this.keyId, Buffer.concat([at, signature]));
  }
}
