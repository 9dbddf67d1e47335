import type { DomainEvent, JsonObject } from '#lib/kernel';

import { incidentEvent, type PiiAlert } from './incidents.events.js';

/** In a job's stream or `access-{principal}`: personal data was found that may not be stored. */
export const FLAGGED_TYPE = 'PII_FLAGGED';

/** Operators are told at most once within it of each kind (spec/failures.md). */
const INTERVAL_MS = 60_000;

/** When operators were told last, milliseconds since the Unix epoch, by kind: a bounded list of the detector's. */
export type ToldKinds = Readonly<Record<string, number>>;

export function evolveToldKinds(
  told: ToldKinds,
  { type, data }: { readonly type: string; readonly data: JsonObject },
): ToldKinds {
  if (type !== 'PII_ALERT') return told;
  const { pii_type, at } = data as unknown as PiiAlert;
  return { ...told, [pii_type]: Date.parse(at) };
}

/** Nothing where operators were told of that kind within the minute. */
export function alertOf(told: ToldKinds, alert: PiiAlert): readonly DomainEvent[] {
  const last = told[alert.pii_type];
  const isTold = last !== undefined && Date.parse(alert.at) < last + INTERVAL_MS;
  return isTold ? [] : [incidentEvent('PII_ALERT', alert)];
}
