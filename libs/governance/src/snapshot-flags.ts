import { retiredKeys } from '#lib/access';
import {
  comparePositions,
  type EventLog,
  IntegrityError,
  type LoggedEvent,
  type RecordedEvent,
} from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';

import { CLEAR } from './domain/snapshot-halt.js';

/**
 * The flags on a snapshot, in their order, each what was signed at its place. What the first of them follows is not looked
 * at: the snapshot may be damaged, or was restored since. Each other one follows the flag before it, so that none was taken
 * out, moved behind a later one or put there again.
 * @param behind everything that stands behind the snapshot in its stream
 * @throws IntegrityError
 */
export async function verifiedFlags(log: EventLog, behind: readonly RecordedEvent[]): Promise<readonly LoggedEvent[]> {
  const flags = behind.map((recorded) => log.codec.openAlone(recorded));
  // Nearly every snapshot has none.
  const retired = flags.length === 0 ? {} : await retiredKeys(log, 'event-hmac');
  for (const [i, { type, stream, revision, position, metadata }] of flags.entries()) {
    const fail = (reason: string): never => {
      throw new IntegrityError(stream, revision, reason);
    };
    if (i > 0 && metadata.prev_hash !== sha256Hex(behind[i - 1]!.text))
      fail('its prev_hash is not the hash of the event before it');
    // Who signs with a key that was retired may be a process that was not started again since: a flag of theirs is one more
    // reason to halt, which the council can clear, and clears nothing itself.
    if (type !== CLEAR) continue;
    const { kid } = metadata;
    const since = Object.hasOwn(retired, kid) ? retired[kid] : undefined;
    if (since !== undefined && comparePositions(position, since as RecordedEvent['position']) > 0)
      fail(`key ${kid} was retired before, and signs no more`);
  }
  return flags;
}
