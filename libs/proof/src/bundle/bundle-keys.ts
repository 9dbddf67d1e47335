import type { KeyRing } from '#lib/kernel';
import type { Bundle, VerifierKey } from '#lib/verifier';

import type { LogKeys } from '../log-keys.js';
import type { BundleKeys } from './bundle-builder.js';

/** The keys of a process as its bundles name them: of the events, of the log, of its witnesses. No secrets. */
export class RingBundleKeys implements BundleKeys {
  constructor(
    private readonly ring: KeyRing,
    private readonly log: LogKeys,
    private readonly witnesses: readonly VerifierKey[],
  ) {}

  signers(): Bundle['keys']['signers'] {
    const own = this.log.published().map(({ vkey, not_before, not_after }) => ({ vkey, not_before, not_after }));
    // When a witness takes up a key it tells nobody; its signatures say their own time.
    const others = this.witnesses.map(({ vkey }) => ({ vkey, not_before: null, not_after: null }));
    return [...own, ...others];
  }

  events(kids: ReadonlySet<string>): Bundle['keys']['events'] {
    return this.ring
      .all()
      .filter(({ kid, purpose }) => purpose === 'event-hmac' && kids.has(kid))
      .map(({ kid, state, notBefore, notAfter }) => ({
        kid,
        state,
        not_before: notBefore,
        not_after: notAfter ?? null,
      }));
  }

  sign(text: string): string {
    return this.log.signText(text);
  }
}
