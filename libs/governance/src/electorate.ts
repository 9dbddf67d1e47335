import { type EventLog, IntegrityError } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';

import { governanceConstants } from './domain/constants.js';

/** Whether somebody is registered under a user id in its normal form. */
export type IsRegistered = (userId: string) => Promise<boolean>;

/** Asks the principal registry's streams; one that does not verify registers nobody. */
export function registeredIn(log: Pick<EventLog, 'load'>): IsRegistered {
  return async (userId) => {
    try {
      const { events } = await log.load(`principal-${userId}`);
      return events.some(({ type }) => type === 'PRINCIPAL_REGISTERED');
    } catch (error) {
      if (error instanceof IntegrityError) return false;
      throw error;
    }
  };
}

/**
 * Why nobody can say that a council like this could decide on a request of one of its own members; null where it could.
 * Of a council that is named, enough must be registered. How many hold the role of one that is not, tokens decide, and no
 * record: its quorum may not rise over the one that is in force.
 */
export async function electorateFault(
  body: JsonObject,
  before: JsonObject,
  isRegistered: IsRegistered,
): Promise<string | null> {
  const { council_quorum: quorum, council_members: members } = governanceConstants(body);
  if (members === undefined) {
    const { council_quorum: now } = governanceConstants(before);
    return quorum <= now
      ? null
      : `council_quorum ${quorum} is more than the ${now} that decide now, and nobody knows how many hold the role council: name more than ${quorum} council_members with it`;
  }
  const known = await Promise.all(members.map(isRegistered));
  const strangers = members.filter((_, i) => known[i] !== true);
  const reachable = members.length - strangers.length;
  if (reachable > quorum) return null;
  return `council_quorum ${quorum} takes more than ${quorum} registered council_members, since nobody votes on their own request; registered are ${reachable}, and nobody is as ${strangers.slice(0, 8).join(', ')}`;
}
