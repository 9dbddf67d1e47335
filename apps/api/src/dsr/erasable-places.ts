import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { ErasablePlace, PurgedPlace } from '#lib/dsr';
import { type EventLog, type EventStore, START } from '#lib/event-store';
import type { CouncilHolds } from '#lib/governance';
import { canonicalize } from '#lib/kernel';
import { liveGeneration, type Projection, type ProjectionHost } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

const PAGE = 500;
const CATCH_UP_MS = 60_000;

/**
 * Read models hold personal fields in their stored form, so a destroyed key reaches them; what is deleted in the log they
 * drop themselves. Looked through once they have caught up, so that what is counted does not depend on how fast they are.
 */
export class ReadModels implements ErasablePlace {
  constructor(
    private readonly projections: readonly Projection[],
    private readonly host: Pick<ProjectionHost, 'waitFor'>,
    private readonly documents: ReadStore,
    private readonly events: Pick<EventStore, 'head'>,
  ) {}

  async purge(_subject: string, kids: readonly string[]): Promise<readonly PurgedPlace[]> {
    await this.host.waitFor(await this.events.head(), undefined, CATCH_UP_MS);
    const places: PurgedPlace[] = [];
    for (const projection of this.projections) {
      const { name } = projection;
      places.push({ kind: 'read_model', name, found: await this.count(projection, kids), fate: 'unreadable' });
    }
    return places;
  }

  private async count(projection: Projection, kids: readonly string[]): Promise<number> {
    const marks = marksOf(kids);
    let found = 0;
    for (const { name } of projection.collections) {
      let cursor: string | undefined;
      do {
        const page = await this.documents.find(await liveGeneration(this.documents, projection), name, {
          limit: PAGE,
          ...(cursor === undefined ? {} : { cursor }),
        });
        found += page.documents.filter(({ body }) => {
          const text = canonicalize(body);
          return marks.some((mark) => text.includes(mark));
        }).length;
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
    }
    return found;
  }
}

/** What this process, and a cache it shares with others, keeps of streams it has read; keys were forgotten before. */
export class ProcessCaches implements ErasablePlace {
  constructor(private readonly log: EventLog) {}

  async purge(): Promise<readonly PurgedPlace[]> {
    await this.log.forgetStates();
    return [
      { kind: 'cache', name: 'unwrapped data keys', found: null, fate: 'purged' },
      { kind: 'cache', name: 'states of streams', found: null, fate: 'purged' },
    ];
  }
}

/** Where projections are run again; a run under way holds personal fields as stored, and its place goes when it ends. */
export class ScratchPlaces implements ErasablePlace {
  constructor(private readonly dataDir: string) {}

  async purge(): Promise<readonly PurgedPlace[]> {
    const under = await readdir(join(this.dataDir, 'scratch')).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return [{ kind: 'scratch', name: 'reruns of projections', found: under.length, fate: 'unreadable' }];
  }
}

/** Values that wait for the council, under keys of their own; how many is not told, so that a repeated step says the same. */
export class HeldWritesOf implements ErasablePlace {
  constructor(private readonly holds: Pick<CouncilHolds, 'destroyOf'>) {}

  async purge(subject: string): Promise<readonly PurgedPlace[]> {
    await this.holds.destroyOf(subject);
    return [{ kind: 'scratch', name: 'values that wait for the council', found: null, fate: 'purged' }];
  }
}

/** Snapshots hold what the system knows of itself; were something of a person in one, it would be as unreadable. */
export class SnapshotBodies implements ErasablePlace {
  constructor(private readonly events: EventStore) {}

  async purge(_subject: string, kids: readonly string[]): Promise<readonly PurgedPlace[]> {
    const marks = marksOf(kids);
    let found = 0;
    for (let after = START; ;) {
      const page = await this.events.readAll({ after, limit: PAGE, types: ['SNAPSHOT_CREATED'] });
      found += page.events.filter(({ text }) => marks.some((mark) => text.includes(mark))).length;
      if (page.atHead) break;
      after = page.scannedTo;
    }
    return [{ kind: 'snapshot', name: 'snapshots', found, fate: 'unreadable' }];
  }
}

/** How a field that one of these keys encrypted shows in canonical text. */
function marksOf(kids: readonly string[]): string[] {
  return kids.map((kid) => `"kid":${JSON.stringify(kid)}`);
}
