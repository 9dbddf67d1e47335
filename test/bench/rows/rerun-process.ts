import { join } from 'node:path';

import { type Decode, ProjectionHost, rerun, type RerunOptions } from '#lib/projections';
import { RowSignatures, START } from '#lib/event-store';
import { semProjection } from '#lib/memory';
import { SqliteReadStore } from '#lib/read-store';
import { openDatabase } from '#lib/sqlite';

import { cpuOf, timed } from '../harness/callers.js';
import { benchRing, openEventSide } from './event-side.js';

export interface RerunDone {
  readonly kind: 'done';
  readonly perSecond: number;
  /** Most memory the process, all its threads included, ever had. */
  readonly peakMiB: number;
  /** The same when a third of the way was done. */
  readonly earlyPeakMiB: number;
  /** Processor time an event, of all threads. */
  readonly cpuMicroseconds: number;
  /** Whether the rerun's documents are those of the live projection. */
  readonly equal: boolean;
}

const PAGE = 1000;

/** `rerun-process.js MODE FOLDER EVENTS`: makes the live projection, scans the raw pages, or reruns the projection. */
const [mode = '', folder = '', count = '0'] = process.argv.slice(2);
const events = Number(count);
const before = process.cpuUsage();
let earlyPeak = 0;
let equal = true;

const perSecond = mode === 'scan' ? await scan() : mode === 'live' ? await live() : await again();
const peakMiB = peak();
process.send!({
  kind: 'done',
  perSecond,
  peakMiB,
  earlyPeakMiB: earlyPeak || peakMiB,
  cpuMicroseconds: cpuOf(process.cpuUsage(before)) / events,
  equal,
} satisfies RerunDone);
process.disconnect();

function peak(): number {
  return process.resourceUsage().maxRSS / 1024;
}

/** What any reader of these events must do at least: read every row by pages, and parse it. */
function scan(): Promise<number> {
  const db = openDatabase(join(folder, 'events.db'), { readOnly: true });
  const page = db.prepare<{ position: number; text: string }>(
    `SELECT position, stream, revision, id, type, recorded_at, text FROM events WHERE position > ?
     ORDER BY position LIMIT ${PAGE}`,
  );
  return timed(events, () => {
    let seen = 0;
    for (let position = 0; ;) {
      const rows = page.all(position);
      if (rows.length === 0) break;
      for (const { text } of rows) if (typeof JSON.parse(text) === 'object') seen++;
      position = rows.at(-1)!.position;
    }
    db.close();
    if (seen !== events) throw new Error(`the scan saw ${seen} events`);
  });
}

async function live(): Promise<number> {
  return withStores(async (options) => {
    const host = new ProjectionHost({ ...options, projections: [semProjection] });
    host.start();
    const rate = await timed(events, () => host.waitFor(String(events), ['sem'], 600_000));
    await host.stop();
    return rate;
  });
}

/** As the application does it: into a scratch place of its own, and both digests. */
async function again(): Promise<number> {
  return withStores((options) =>
    timed(events, async () => {
      const scratch = await SqliteReadStore.open({ folder: join(folder, 'scratch'), disposable: true });
      const result = await rerun(semProjection, {
        ...options,
        scratch,
        from: START,
        onProgress: ({ processed, total }) => {
          if (processed * 3 <= total) earlyPeak = peak();
        },
      });
      if (result.processed !== events) throw new Error(`the rerun saw ${result.processed} events`);
      equal = result.equal;
      await scratch.close();
    }),
  );
}

async function withStores(
  work: (options: Pick<RerunOptions, 'events' | 'documents' | 'decode'>) => Promise<number>,
): Promise<number> {
  const side = await openEventSide(folder);
  const documents = await SqliteReadStore.open({ folder });
  try {
    const { store, codec } = side.log;
    const signatures = new RowSignatures(benchRing());
    const decode: Decode = (recorded, isOwn) => {
      if (!isOwn && signatures.faultOf(recorded) !== null) throw new Error('a row that nobody signed');
      return codec.decode(recorded);
    };
    return await work({ events: store, documents, decode });
  } finally {
    await documents.close();
    await side.close();
  }
}
