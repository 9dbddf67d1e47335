import { type EventCodec, IntegrityError, type LoggedEvent, type RecordedEvent } from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';

import { FLAG_TYPES, haltIn, INTEGRITY_FAILURE, type StandingHalt } from './domain/snapshot-halt.js';
import { counts } from './snapshot-flags.js';

/** Where a stored event is not what it should be, and why. */
export interface StreamFault {
  readonly revision: number;
  readonly reason: string;
}

/** A snapshot's stream, judged event by event. */
export interface SnapshotStreamState {
  /** What is wrong with the snapshot's own bytes; null where they are what was signed. */
  readonly damage: StreamFault | null;
  /** What is wrong with what stands behind it, and cannot be explained by damage that was flagged; null where nothing is. */
  readonly tampering: StreamFault | null;
  /** Why no job may run on it; null where one may. */
  readonly halt: StandingHalt | null;
  /** True where the snapshot was flagged when it held other bytes than now: it was restored since, or changed again. */
  readonly detached: boolean;
}

/**
 * Tells a flag on a damaged snapshot from tampering, for whoever walks the log (spec/replay.md, "Integrity"). Flags are
 * chained to the end of the stream as it was stored, so that the link from the snapshot to its first flag may be broken:
 * by damage that came after the flag, or by the restored bytes where it was repaired. A snapshot that verifies explains
 * a broken link only where the first event behind it is an INTEGRITY_FAILURE of the snapshot; every other link must
 * hold, and every flag is signed.
 * @param events the whole stream as stored, oldest first
 * @param faultOf what is wrong with the snapshot's own record, chain link, signature and id formula included
 * @param retired positions after which a key of events signs no more, by kid
 */
export function snapshotStreamState(
  codec: Pick<EventCodec, 'openAlone'>,
  events: readonly RecordedEvent[],
  faultOf: (first: RecordedEvent) => string | null,
  retired: Readonly<Record<string, string>> = {},
): SnapshotStreamState {
  const haltOf = (known: readonly LoggedEvent[]): StandingHalt | null =>
    haltIn(known.filter((flag) => counts(flag, retired)));
  const [first, ...behind] = events;
  if (!first)
    return { damage: { revision: 0, reason: 'it is not stored' }, tampering: null, halt: null, detached: false };
  const reason = faultOf(first);
  const damage = reason === null ? null : { revision: 0, reason };
  const flags: LoggedEvent[] = [];
  let end = sha256Hex(first.text);
  let detached = false;
  for (const recorded of behind) {
    const flag = openedFlag(codec, recorded);
    if ('reason' in flag) return { damage, tampering: flag, halt: haltOf(flags), detached };
    if (flag.metadata.prev_hash !== end) {
      const explained = damage !== null || tellsOfDamage(flag);
      if (flags.length > 0 || !explained) {
        const wrong = { revision: recorded.revision, reason: 'its prev_hash is not the hash of the event before it' };
        return { damage, tampering: wrong, halt: haltOf(flags), detached };
      }
      detached = true;
    }
    flags.push(flag);
    end = sha256Hex(recorded.text);
  }
  return { damage, tampering: null, halt: haltOf(flags), detached };
}

function openedFlag(codec: Pick<EventCodec, 'openAlone'>, recorded: RecordedEvent): LoggedEvent | StreamFault {
  const { revision, type } = recorded;
  if (!FLAG_TYPES.includes(type)) return { revision, reason: `an event of type ${type} is no flag on a snapshot` };
  let opened: LoggedEvent | undefined;
  const reason = faultIn(() => (opened = codec.openAlone(recorded)));
  return opened ?? { revision, reason: reason ?? 'it is no event' };
}

function tellsOfDamage({ type, data, stream }: LoggedEvent): boolean {
  return type === INTEGRITY_FAILURE && data['stream'] === stream && data['revision'] === 0;
}

function faultIn(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof IntegrityError) return error.reason;
    throw error;
  }
}
