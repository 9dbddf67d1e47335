import type { DomainEvent, EventDefinition, JsonObject } from '#lib/kernel';

/**
 * `storage`: the room that the stores have; it is out of reach where what is to be stored finds none. `process`: one that
 * serves a data folder; it is out of reach from a crash on until the next has run for a while.
 */
export const SERVICES = ['event-store', 'read-store', 'cache', 'storage', 'language-engine', 'process'] as const;
export type Service = (typeof SERVICES)[number];

/** In `system-{service}`, once as a service goes out of reach and once as it is back (spec/failures.md). */
export interface ServiceUnavailable {
  readonly service: Service;
  readonly outage_id: string;
  readonly state: 'down' | 'up';
  /** When it was first seen to be out of reach, ISO 8601. */
  readonly since: string;
  /** From when on it is a critical incident. */
  readonly due_at: string;
  /** When it was back; null while it is down. */
  readonly until: string | null;
  /** The kind of error that showed it; never a value. */
  readonly fault: string;
}

/** In `system-cache`, beside SERVICE_UNAVAILABLE: never shown to whoever asks. */
export type CacheError = OutageKind;

/** In `system-storage`, beside SERVICE_UNAVAILABLE: from here on what is to be stored is refused, or is taken again. */
export type StorageFull = OutageKind;

/** In `system-process`, beside SERVICE_UNAVAILABLE: a start found that the process before it ended without stopping. */
export type ProcessCrashed = OutageKind;

interface OutageKind {
  readonly outage_id: string;
  readonly state: 'down' | 'up';
  readonly fault: string;
}

export const outageDefinitions: readonly EventDefinition[] = [
  {
    type: 'SERVICE_UNAVAILABLE',
    version: 1,
    plain: ['service', 'outage_id', 'state', 'since', 'due_at', 'until', 'fault'],
  },
  { type: 'CACHE_ERROR', version: 1, plain: ['outage_id', 'state', 'fault'] },
  { type: 'STORAGE_FULL', version: 1, plain: ['outage_id', 'state', 'fault'] },
  { type: 'PROCESS_CRASHED', version: 1, plain: ['outage_id', 'state', 'fault'] },
];

interface OutageEventData {
  readonly SERVICE_UNAVAILABLE: ServiceUnavailable;
  readonly CACHE_ERROR: CacheError;
  readonly STORAGE_FULL: StorageFull;
  readonly PROCESS_CRASHED: ProcessCrashed;
}

/** A domain event from typed data: the one cast between outages' types and JSON. */
export function outageEvent<T extends keyof OutageEventData>(type: T, data: OutageEventData[T]): DomainEvent {
  return { type, data: data as unknown as JsonObject };
}

export function outageStream(service: Service): string {
  return `system-${service}`;
}
