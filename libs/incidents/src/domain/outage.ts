import { eventId, systemSeed, type DomainEvent, type JsonObject } from '#lib/kernel';

import type { Cause } from './incident.js';
import type { Severity } from './incidents.events.js';
import { outageEvent, outageStream, type Service, type ServiceUnavailable } from './outages.events.js';

/** An outage that lasts longer is a critical incident (seed 000). */
export const OUTAGE_LIMIT_MS = 5 * 60 * 1000;
/** What a service's outage is told as beside SERVICE_UNAVAILABLE. */
const KINDS: Partial<Record<Service, 'CACHE_ERROR' | 'STORAGE_FULL' | 'PROCESS_CRASHED'>> = {
  cache: 'CACHE_ERROR',
  storage: 'STORAGE_FULL',
  process: 'PROCESS_CRASHED',
};
/** Whose incidents come from that, and not from SERVICE_UNAVAILABLE. */
const CAUSED_BY_KIND: readonly Service[] = ['storage', 'process'];

/** How bad an outage is from its first event on; null where it is an incident only once it has lasted. */
export const FIRST_SEVERITIES: Readonly<Record<Service, Severity | null>> = {
  'event-store': null,
  'read-store': null,
  cache: null,
  // Nothing mends it by itself: somebody must make room.
  storage: 'critical',
  'language-engine': 'error',
  // Where one follows on another it lasts, and is critical as any outage then.
  process: 'warning',
};

/** An outage as its first event tells it. */
export type Outage = Omit<ServiceUnavailable, 'state' | 'until'>;

/** What a service's stream says is down, by outage_id: one a process that lost it. */
export type OpenOutages = Readonly<Record<string, Outage>>;

/** @param since milliseconds since the Unix epoch */
export function outageOf(service: Service, outage_id: string, since: number, fault: string): Outage {
  const due_at = new Date(since + OUTAGE_LIMIT_MS).toISOString();
  return { service, outage_id, since: new Date(since).toISOString(), due_at, fault };
}

export function evolveOutages(
  open: OpenOutages,
  { type, data }: { readonly type: string; readonly data: JsonObject },
): OpenOutages {
  if (type !== 'SERVICE_UNAVAILABLE') return open;
  const { state, until: _, ...outage } = data as unknown as ServiceUnavailable;
  const { [outage.outage_id]: known, ...others } = open;
  return state === 'up' ? others : { ...others, [outage.outage_id]: known ?? outage };
}

/** The seed under which both ends of an outage are recorded. */
export function outageSeed({ outage_id }: Pick<Outage, 'outage_id'>): string {
  return systemSeed('outage', outage_id);
}

/** sequence_index of the first event of each end. */
export const FIRST_INDEX = { down: 0, up: 2 } as const;

/** What is recorded as it begins (`until` null) and as it ends. */
export function outageEvents(outage: Outage, until: number | null): readonly DomainEvent[] {
  const state = until === null ? 'down' : 'up';
  const { service, outage_id, fault } = outage;
  const at = until === null ? null : new Date(until).toISOString();
  const told = outageEvent('SERVICE_UNAVAILABLE', { ...outage, state, until: at });
  const kind = KINDS[service];
  return kind ? [told, outageEvent(kind, { outage_id, state, fault })] : [told];
}

/** The event that an incident of this outage comes from, known before it could be appended. */
export function causeOf(outage: Outage): Cause {
  const { service } = outage;
  const stream = outageStream(service);
  const type = KINDS[service];
  if (type === undefined || !CAUSED_BY_KIND.includes(service))
    return { event_id: endOf(outage, 'down'), type: 'SERVICE_UNAVAILABLE', stream };
  return { event_id: eventId(outageSeed(outage), FIRST_INDEX.down + 1, type), type, stream };
}

/** Id of the event that tells of one end of an outage. */
export function endOf(outage: Pick<Outage, 'outage_id'>, end: 'down' | 'up'): string {
  return eventId(outageSeed(outage), FIRST_INDEX[end], 'SERVICE_UNAVAILABLE');
}

/** @param now milliseconds since the Unix epoch */
export function isOverdue({ due_at }: Outage, now: number): boolean {
  return now > Date.parse(due_at);
}
