import { differences, type Change, type Difference } from './plan.js';
import type { ServerSettings } from './server-settings.js';
import type { ServerState } from './server-state.js';

/** A server that is set up; see EventStoreDbSetup. */
export interface ServerSetup {
  /** What it has of what is wanted. */
  look(wanted: ServerSettings): Promise<ServerState>;
  carryOut(change: Change): Promise<void>;
}

/** What came of an `apply`. */
export interface Applied {
  /** What was changed. */
  readonly changed: readonly Difference[];
  /** What a person has to do. */
  readonly left: readonly Difference[];
}

/** How a server differs from what is wanted; nothing is changed. */
export async function verifyServer(server: ServerSetup, wanted: ServerSettings): Promise<readonly Difference[]> {
  return differences(wanted, await server.look(wanted));
}

/**
 * Brings a server to what is wanted, one change after the other; a second time changes nothing. Broken off, the next
 * one goes on where this one ended.
 * @param onChanged told of each change once it is made
 */
export async function applyToServer(
  server: ServerSetup,
  wanted: ServerSettings,
  onChanged: (difference: Difference) => void = () => undefined,
): Promise<Applied> {
  const changed: Difference[] = [];
  const left: Difference[] = [];
  for (const difference of await verifyServer(server, wanted)) {
    if (difference.change === null) {
      left.push(difference);
      continue;
    }
    await server.carryOut(difference.change);
    changed.push(difference);
    onChanged(difference);
  }
  return { changed, left };
}
