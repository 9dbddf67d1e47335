import { canonicalize, type DomainEvent, type EventDefinition, type JsonObject } from '#lib/kernel';

/** In `system-releases`: which release writes the log from here on, and in which version each event type. */
export interface ReleaseRecorded {
  readonly release: string;
  /** Version by event type, of every type that it can write or read. */
  readonly event_versions: Readonly<Record<string, number>>;
}

export const RELEASES_STREAM = 'system-releases';

export const releaseEvents: readonly EventDefinition[] = [
  { type: 'RELEASE_RECORDED', version: 1, plain: ['release', 'event_versions'] },
];

/** The newest record, and per type the highest version that any release has written. */
export interface Releases {
  readonly newest: ReleaseRecorded | null;
  readonly highest: Readonly<Record<string, { readonly version: number; readonly release: string }>>;
}

export const noReleases: Releases = { newest: null, highest: {} };

export function evolveReleases({ highest }: Releases, event: { readonly data: JsonObject }): Releases {
  const newest = event.data as unknown as ReleaseRecorded;
  const raised = { ...highest };
  for (const [type, version] of Object.entries(newest.event_versions)) {
    if (version > (highest[type]?.version ?? 0)) raised[type] = { version, release: newest.release };
  }
  return { newest, highest: raised };
}

/** An event type that this release cannot read as some other has written it. */
export interface UnreadableType {
  readonly type: string;
  readonly version: number;
  /** The release that wrote it. */
  readonly release: string;
  /** The highest version that this release reads; null where it does not know the type. */
  readonly known: number | null;
}

/** What of a log this release cannot read, by type; a log of older releases, or of this one, has none. */
export function unreadable({ highest }: Releases, current: ReleaseRecorded): readonly UnreadableType[] {
  return Object.entries(highest)
    .map(([type, written]) => ({ type, ...written, known: current.event_versions[type] ?? null }))
    .filter(({ version, known }) => known === null || version > known)
    .sort((a, b) => (a.type < b.type ? -1 : 1));
}

/** The record that this release leaves at its first start on a log; nothing where the newest says the same. */
export function recordRelease({ newest }: Releases, current: ReleaseRecorded): readonly DomainEvent[] {
  if (newest && canonicalize(newest) === canonicalize(current)) return [];
  return [{ type: 'RELEASE_RECORDED', data: current as unknown as JsonObject }];
}
