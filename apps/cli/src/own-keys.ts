import { keyFileIn, openKeyFile } from '#lib/access';
import type { KeyRing } from '#lib/kernel';

import type { Config } from '../../api/src/platform.config.js';

/** The keys of the folder that a command works on. */

export function keyFileOf(config: Pick<Config, 'keysFile' | 'dataDir'>): string {
  return config.keysFile ?? keyFileIn(config.dataDir);
}

/** @throws KeyFileError */
export function ringOf(config: Config): KeyRing {
  return openKeyFile(keyFileOf(config), {
    mayDraw: false,
    production: config.mode === 'production',
    now: Date.now(),
  });
}
