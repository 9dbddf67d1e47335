import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { accessEvents, KeyFileError, keyFileIn, openKeyFile } from '#lib/access';
import { lacksItsWal, type LogEnd, logEndAtRest } from '#lib/event-store';
import { type ReleaseRecorded, RELEASES_STREAM, unreadableTypes } from '#lib/history';
import { CHECK_SUMMARY, type CheckSummary, INTEGRITY_STREAM } from '#lib/integrity';
import { type KeyRing } from '#lib/kernel';
import { logAtRest } from '#lib/proof';
import { parseCheckpoint, parseNote } from '#lib/verifier';

import { EVENT_DEFINITIONS } from '../../../../api/src/event-definitions.js';
import { systemVersion } from '../../../../api/src/configuration-files.js';
import type { Config } from '../../../../api/src/platform.config.js';
import { plain } from '../../io.js';
import type { Walk } from '../last-walk.js';
import { fail, type Finding, ofWalk, ok, warn } from './finding.js';

type Settings = Pick<Config, 'dataDir' | 'keysFile' | 'mode' | 'eventStoreDb' | 'mongoDb'>;

const DAY_MS = 86_400_000;
const EXPIRY_NOTICE_DAYS = 30;
/** As far may clocks of two machines be apart that keep time. */
const CLOCKS_APART_MS = 60_000;
const RESTORE = 'put back the newest copy of the data folder (docs/proof.md)';

/** The key file, without drawing one; and the ring, where it can be used. */
export function keys(settings: Settings, now: number): { readonly findings: Finding[]; readonly ring: KeyRing | null } {
  const file = settings.keysFile ?? keyFileIn(settings.dataDir);
  const isNew = !existsSync(join(settings.dataDir, 'events.db')) && settings.keysFile === undefined;
  if (isNew && !existsSync(file)) return { findings: [ok('keys', 'drawn by the first start')], ring: null };
  try {
    const ring = openKeyFile(file, { mayDraw: false, production: settings.mode === 'production', now });
    return { findings: expiring(ring, now) ?? [ok('keys', `${ring.all().length} keys in ${file}`)], ring };
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    const todo = /chmod/.test(error.message)
      ? 'do that, and think of who may have read them'
      : 'restore it from its copy';
    return { findings: [fail('keys', error.message, todo)], ring: null };
  }
}

function expiring(ring: KeyRing, now: number): Finding[] | null {
  const soon = ring.all().filter(({ state, notAfter }) => state === 'active' && notAfter !== undefined);
  const findings = soon.flatMap(({ kid, purpose, notAfter }) => {
    const days = Math.floor((Date.parse(notAfter!) - now) / DAY_MS);
    if (days >= EXPIRY_NOTICE_DAYS) return [];
    return [warn('keys', `${kid} signs for ${days} more days`, `mace keys rotate ${purpose}, and start MACE again`)];
  });
  return findings.length > 0 ? findings : null;
}

/** The embedded log where nobody works on it: whether a start would take it. */
export function logHere(settings: Settings, ring: KeyRing | null, now: number): Finding[] {
  if (settings.eventStoreDb) return [];
  const path = join(settings.dataDir, 'events.db');
  if (!existsSync(path)) return [ok('events.db', 'made by the first start')];
  const end = logEndAtRest(path, { of: RELEASES_STREAM, newestOf: INTEGRITY_STREAM });
  return [
    ...(gaps(end) ?? [ok('events.db', `its last event is at ${end.position}`)]),
    ...schemas(end.ofStream),
    ...clock(end.recordedAt, now),
    ...(ring && end.text !== null ? signer(end.text, ring) : []),
    ...checkpoint(settings, end.isBehind ? null : end.count),
    ofWalk(lastWalk(end.newestOfStream)),
    ...dataKeys(settings, end.position),
  ];
}

/** @param newest texts of the newest events in which walks say what they found, newest first */
function lastWalk(newest: readonly string[]): Walk | null {
  const events = newest.map((text) => JSON.parse(text) as { readonly type: string; readonly data: CheckSummary });
  return events.find(({ type, data }) => type === CHECK_SUMMARY && data.scope === null)?.data ?? null;
}

/** Events that are missing between others, as a start counts them; null where none is. */
function gaps({ position, count, gapAt, broken, isBehind }: LogEnd): Finding[] | null {
  if (isBehind) {
    const found = `its last event is at ${position}; the last process did not end in order, and the newest events lie beside it, so that none is counted`;
    return [warn('events.db', found, 'start MACE, or `mace integrity verify`: both take them in and count')];
  }
  const missing =
    gapAt === null ? null : `${position - count} of ${position} events are missing, the first at ${gapAt}`;
  const streams = broken.map(({ name, events, lastRevision }) => {
    return `${plain(name)} has ${events} events, and the last is revision ${lastRevision}`;
  });
  if (missing === null && streams.length === 0) return null;
  const found = [...(missing === null ? [] : [missing]), ...streams].join('; ');
  return [fail('events.db', `it has a gap: ${found}`, RESTORE)];
}

/** @param releases the texts of the events in which releases say what they write */
export function schemas(releases: readonly string[]): Finding[] {
  const events = releases.map((text) => (JSON.parse(text) as { readonly data: ReleaseRecorded }).data);
  const types = unreadableTypes(events, systemVersion(), [...accessEvents, ...EVENT_DEFINITIONS]);
  if (types.length === 0) return [ok('event versions', `${systemVersion()} reads all that the log says it holds`)];
  const named = types.slice(0, 3).map(({ type, version, release }) => `${type} in version ${version} (${release})`);
  return [fail('event versions', `the log is of a newer release: ${named.join(', ')}`, 'start the newer release')];
}

/** @param recordedAt when the store took the newest event, milliseconds since the Unix epoch; null where there is none */
export function clock(recordedAt: number | null, now: number): Finding[] {
  if (recordedAt === null) return [];
  const ahead = recordedAt - now;
  if (ahead <= CLOCKS_APART_MS) return [ok('clock', 'the last event lies in the past')];
  const found = `the last event is of ${new Date(recordedAt).toISOString()}, ${Math.round(ahead / 1000)} s from now`;
  return [fail('clock', found, 'set this machine’s clock (chrony or ntpd), before anything more is written')];
}

function signer(text: string, ring: KeyRing): Finding[] {
  const { kid } = (JSON.parse(text) as { readonly metadata: { readonly kid: string } }).metadata;
  if (ring.verifying(kid, 'event-hmac'))
    return [ok('keys of the log', 'the last event is signed by a key that is there')];
  const todo = 'give the key file that belongs to this data folder (MACE_KEYS_FILE), or its newest copy';
  return [fail('keys of the log', `the last event is signed by ${kid}, which the key file does not hold`, todo)];
}

/** The next start makes a file without any, and what is stored of people stays closed. @param position of the last event */
function dataKeys({ dataDir, mongoDb }: Settings, position: number): Finding[] {
  const path = join(dataDir, 'subject-keys.db');
  if (mongoDb || position === 0) return [];
  if (lacksItsWal(path)) {
    const lost = 'subject-keys.db-wal is not there, in which a process that was killed had written data keys of people';
    return [fail('subject-keys.db', lost, 'put both files back before the next start, or restore the newest backup')];
  }
  if (existsSync(path)) return [];
  const todo = 'put it back from a backup before the next start; without it nobody reads what is stored of people';
  return [fail('subject-keys.db', 'the data keys of people are not there', todo)];
}

/** @param count of events; null where it is not known for certain */
function checkpoint({ dataDir, keysFile }: Settings, count: number | null): Finding[] {
  const { origin, note } = logAtRest(dataDir, dirname(keysFile ?? keyFileIn(dataDir)));
  if (note === null) {
    const todo = `put back \`origin\`, or the newest copy of the key folder`;
    return [fail('checkpoint', `the key folder does not know the log ${origin}`, todo)];
  }
  const size = parseCheckpoint(parseNote(note).text)?.size ?? 0;
  if (count !== null && count < size) {
    return [fail('checkpoint', `events.db has ${count} events, and ${size} were signed`, RESTORE)];
  }
  return [ok('checkpoint', `${size} events of ${origin} are signed`)];
}
