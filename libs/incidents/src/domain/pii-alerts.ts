import type { DomainEvent, JsonObject } from '#lib/kernel';

import { incidentEvent, type PiiAlert } from './incidents.events.js';

/** In a job's stream or `access-{principal}`: personal data was found that may not be stored. */
export const FLAGGED_TYPE = 'PII_FLAGGED';

/** Operators are told at most once within it of each kind (spec/failures.md). */
const INTERVAL_MS = 60_000;

/** When the last alert was, milliseconds since the Unix epoch, by kind: a bounded list of the detector's. */
export type LastAlerts = Readonly<Record<string, number>>;

export function evolveLastAlerts(
  before: LastAlerts,
  { type, data }: { readonly type: string; readonly data: JsonObject },
): LastAlerts {
  if (type !== 'PII_ALERT') return before;
  const { pii_type, at } = data as unknown as PiiAlert;
  return { ...before, [pii_type]: Date.parse(at) };
}

/** Nothing where there was an alert of that kind within the minute. */
export function alertOf(before: LastAlerts, alert: PiiAlert): readonly DomainEvent[] {
  const last = before[alert.pii_type];
  const isRecent = last !== undefined && Date.parse(alert.at) < last + INTERVAL_MS;
  return isRecent ? [] : [incidentEvent('PII_ALERT', alert)];
}
