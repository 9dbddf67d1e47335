import { KeyFileError, keyFileIn } from '#lib/access';
import {
  type KeyWrapping,
  MovedKeyWrapping,
  RingKeyWrapping,
  type SubjectKeyStore,
  VaultTransitWrapping,
} from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';

import type { Config } from './platform.config.js';

/**
 * What wraps people's data keys: the key service that is configured, or the key ring. With a key service, data keys that
 * the ring wrapped before still open, until `mace keys rewrap` has brought them there.
 */
export function keyWrappingOf({ kms }: Pick<Config, 'kms'>, ring: KeyRing): KeyWrapping {
  const own = new RingKeyWrapping(ring);
  if (kms === undefined) return own;
  return new MovedKeyWrapping(new VaultTransitWrapping(kms), own, (key) => isOf(ring, key.wrappedBy));
}

const LOOKED_AT = 200;

/**
 * A ring that fits the log and not the data keys would be noticed by the first person who reads; so some are looked at
 * before anything is served. Of those that a key service wraps only the service can tell.
 * @throws KeyFileError
 */
export async function refuseForeignRing(
  config: Pick<Config, 'kms' | 'keysFile' | 'dataDir'>,
  ring: KeyRing,
  keys: Pick<SubjectKeyStore, 'present'>,
): Promise<void> {
  const { keys: some } = await keys.present(null, LOOKED_AT);
  const file = config.keysFile ?? keyFileIn(config.dataDir);
  for (const { wrappedBy } of some) {
    if (isOf(ring, wrappedBy)) continue;
    if (config.kms !== undefined && wrappedBy.startsWith('vault:')) continue;
    const wanted = wrappedBy.startsWith('vault:')
      ? `people's data keys are wrapped by ${wrappedBy}; set MACE_KMS_URL`
      : `people's data keys are wrapped by ${wrappedBy}, which it does not hold; restore the key file of this data folder`;
    throw new KeyFileError(file, wanted);
  }
}

function isOf(ring: KeyRing, wrappedBy: string): boolean {
  return ring.verifying(wrappedBy, 'data-key-wrapping') !== undefined;
}
