import { queryOf } from './shown.js';

/** What the newest finished walk of the whole log says of its events. */
export interface Walk {
  readonly verification_id: string;
  readonly started_at: string;
  readonly position: string;
  readonly sound: boolean | null;
  readonly faults: number;
}

interface Verifications {
  readonly items: readonly (Walk & { readonly state: string; readonly stream: string | null })[];
  readonly next_cursor: string | null;
}

/** @param answered asks the server for the path */
export async function lastWalk(answered: (path: string) => Promise<Verifications>): Promise<Walk | null> {
  let cursor: string | null = null;
  do {
    const path = `/integrity/verifications${queryOf({ limit: 200, ...(cursor === null ? {} : { cursor }) })}`;
    const page: Verifications = await answered(path);
    const found = page.items.find(({ stream, state }) => stream === null && state === 'done');
    if (found) return found;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return null;
}

export function toldOf(walk: Walk | null): string {
  if (!walk) return 'No walk of the whole log has ended yet';
  const { verification_id: id, started_at: at, position, sound, faults } = walk;
  const of = `The last walk, ${id} of ${at}, up to position ${position},`;
  return sound
    ? `${of} found the log sound`
    : `${of} found it NOT SOUND: ${faults} ${faults === 1 ? 'fault' : 'faults'}`;
}
