import { type SubjectCiphers, UnknownSubjectKeyError } from '#lib/event-store';

import type { DataKey, KeySource } from '../range/log-references.js';

/** The data keys that open what logs refer to, as the process that owns the folder has them. */
export function subjectKeys(ciphers: SubjectCiphers, onTrouble: (error: unknown) => void): KeySource {
  return {
    async keys(kids) {
      const keys = new Map<string, DataKey>();
      for (const kid of kids) {
        try {
          const cipher = ciphers.cachedKid(kid) ?? (await ciphers.forKid(kid));
          keys.set(kid, cipher === 'destroyed' ? cipher : cipher.dataKey);
        } catch (error) {
          // Said in the summary by their number; a walk goes on without them.
          keys.set(kid, 'unknown');
          if (!(error instanceof UnknownSubjectKeyError)) onTrouble(error);
        }
      }
      return keys;
    },
  };
}
