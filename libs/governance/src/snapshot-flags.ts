import { retiredKeys } from '#lib/access';
import {
  comparePositions,
  type EventLog,
  IntegrityError,
  type LoggedEvent,
  type Position,
  type RecordedEvent,
} from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';

import { CLEAR } from './domain/snapshot-halt.js';

/**
 * The flags on a snapshot that count, in their order, each what was signed at its place. What the first of them follows is
 * not looked at: the snapshot may be damaged, or was restored since. Each other one follows the flag before it, so that none
 * was taken out, moved behind a later one or put there again.
 * @param behind everything that stands behind the snapshot in its stream
 * @throws IntegrityError
 */
export async function verifiedFlags(log: EventLog, behind: readonly RecordedEvent[]): Promise<readonly LoggedEvent[]> {
  const flags = behind.map((recorded) => log.codec.openAlone(recorded));
  for (const [i, { stream, revision, metadata }] of flags.entries()) {
    if (i > 0 && metadata.prev_hash !== sha256Hex(behind[i - 1]!.text))
      throw new IntegrityError(stream, revision, 'its prev_hash is not the hash of the event before it');
  }
  // Nearly every snapshot has none.
  const retired = flags.length === 0 ? {} : await retiredKeys(log, 'event-hmac');
  return flags.filter((flag) => counts(flag, retired));
}

/**
 * Whether a flag counts: a clearing that was signed with a key which had been retired before does not. Who signs so may be
 * somebody else, or a process that was not started again since: its flag is one more reason to halt, and clears nothing;
 * the halt stands, and the council is asked anew.
 * @param retired positions after which a key signs no more, by kid
 */
export function counts({ type, position, metadata: { kid } }: LoggedEvent, retired: RetiredKeys): boolean {
  return type !== CLEAR || !isVoid({ kid, position }, retired);
}

/** Positions after which a key signs no more, by kid. */
export type RetiredKeys = Readonly<Record<string, string>>;

/** Whether a clearing was signed with a key that had been retired before. */
export function isVoid(
  { kid, position }: { readonly kid: string; readonly position: Position },
  retired: RetiredKeys,
): boolean {
  const since = Object.hasOwn(retired, kid) ? retired[kid] : undefined;
  return since !== undefined && comparePositions(position, since as Position) > 0;
}
