import { createRequire } from 'node:module';

import { ELEVATION_MAX_AGE_S } from '#lib/access';
import type { JsonObject } from '#lib/kernel';
import { DETECTOR_VERSION } from '#lib/privacy';

/** Categories of which a finding blocks a query; one of the lowest is kept as it is (spec/privacy.md, "Detection"). */
export const BLOCKING: readonly string[] = ['high', 'medium'];

/**
 * What a release adds to the privacy policy in the snapshot that jobs pin: what a finding does to a query, on which tables
 * what is found depends, and how old a second factor may be (docs/decisions/0008: no configuration loosens that).
 */
export function releasePrivacy(): JsonObject {
  const { version: phone_metadata } = createRequire(import.meta.url)('libphonenumber-js/package.json') as {
    version: string;
  };
  const { icu = 'none', unicode = 'none' } = process.versions as { icu?: string; unicode?: string };
  return {
    detector_version: DETECTOR_VERSION,
    blocking: [...BLOCKING],
    tables: { icu, unicode, phone_metadata },
    second_factor_max_age_s: ELEVATION_MAX_AGE_S,
  };
}
