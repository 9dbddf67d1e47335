import { createRequire } from 'node:module';

import { ELEVATION_MAX_AGE_S } from '#lib/access';
import type { JsonObject } from '#lib/kernel';
import { CATEGORY_OF, DETECTOR_VERSION } from '#lib/privacy';

/** Categories of which a finding blocks a query; one of the lowest is kept as it is (spec/privacy.md, "Detection"). */
export const BLOCKING: readonly string[] = ['high', 'medium'];

/**
 * Body of the privacy snapshot: what is looked for, what it does to a query, on which tables what is found depends, and how
 * old a second factor may be (docs/decisions/0008: no configuration loosens that).
 * Only a release, or another Node, changes it; a job that pinned another one is replayed by its recorded findings.
 */
export function privacyPolicy(): JsonObject {
  const { version: phone_metadata } = createRequire(import.meta.url)('libphonenumber-js/package.json') as {
    version: string;
  };
  const { icu = 'none', unicode = 'none' } = process.versions as { icu?: string; unicode?: string };
  return {
    detector_version: DETECTOR_VERSION,
    categories: { ...CATEGORY_OF },
    blocking: [...BLOCKING],
    tables: { icu, unicode, phone_metadata },
    second_factor_max_age_s: ELEVATION_MAX_AGE_S,
  };
}
