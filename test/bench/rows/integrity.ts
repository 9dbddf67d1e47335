import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';

import { startWalkThread, type WalkOwner, walkOf, eventKeysOf, type RunningWalk } from '#lib/integrity';
import { EventRegistry } from '#lib/kernel';
import { openDatabase } from '#lib/sqlite';

import { integrityRules } from '../../../apps/api/src/integrity/rules.js';
import { cpuOf, drive, type Throughput, timed } from '../harness/callers.js';
import { atLeast, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { type AppSide, openAppSide } from './app-side.js';

/** Beside half a million events what each thread optimises for itself, at its start, is little. */
const JOBS = 40_000;
const LIVE_JOBS = 2_000;
const CALLERS = 64;
const PAGE = 1000;

/**
 * The integrity walk over jobs as they really are, beside a bare scan of the same rows: by one thread, by two, and what
 * it costs those who ask meanwhile.
 */
export const integrity: Row = {
  name: 'integrity',
  async run({ folder, rounds, scale, say }) {
    const data = join(folder, 'data');
    const side = await openAppSide(data);
    try {
      for (let caller = 0; caller < CALLERS; caller++) await side.remember(caller);
      say('asking the jobs that are walked');
      let asked = 0;
      const ask = async (caller: number): Promise<void> => void (await side.ask(caller, asked++));
      await drive({ callers: CALLERS, calls: Math.ceil(JOBS * scale) }, ask);
      const events = Number(await side.platform.eventStore.head());
      const live = { callers: CALLERS, calls: Math.ceil(LIVE_JOBS * scale) };
      const figures = await interleave<string, Spent>(
        {
          'bare scan': () => scan(data, events),
          'one thread': () => walked(side, data, events, 1),
          'two threads': () => walked(side, data, events, 2),
          'jobs alone': () => drive(live, ask),
          'jobs beside a walk': () => beside(side, data, events, () => drive(live, ask)),
        },
        { rounds, onTask: (task, round) => say(`round ${round}, ${task}`) },
      );
      const rates = (task: string): number[] => figures[task]!.map(({ perSecond }) => perSecond);
      const rate = (task: string): number => median(rates(task));
      const cpu = (task: string): number => median(figures[task]!.map(({ cpuMicroseconds }) => cpuMicroseconds));
      const figure = rate('one thread');
      const scaling = pairedRatio(rates('two threads'), rates('one thread'));
      const kept = pairedRatio(rates('jobs beside a walk'), rates('jobs alone'));
      return [
        {
          name: `integrity walk, ${events.toLocaleString('en')} events of jobs`,
          unit: 'events/s',
          figure,
          baseline: rate('bare scan'),
          baselineName: 'bare scan of the same rows by pages, same driver',
          ratio: pairedRatio(rates('one thread'), rates('bare scan')),
          aims: [
            atLeast('events/s', figure, 40_000, 'rate'),
            atLeast('two threads to one', scaling, 1.7),
            atLeast('live jobs kept beside a walk', kept, 0.9),
          ],
          details: {
            'events/s, two threads': rate('two threads'),
            'two threads to one': scaling,
            'processor microseconds an event, one thread': cpu('one thread'),
            'two threads': cpu('two threads'),
            'live jobs/s alone': rate('jobs alone'),
            'live jobs/s beside a walk': rate('jobs beside a walk'),
          },
        },
      ];
    } finally {
      await side.close();
    }
  },
};

type Spent = Pick<Throughput, 'perSecond' | 'cpuMicroseconds'>;

async function spent(events: number, work: () => unknown): Promise<Spent> {
  const before = process.cpuUsage();
  const perSecond = await timed(events, work);
  return { perSecond, cpuMicroseconds: cpuOf(process.cpuUsage(before)) / events };
}

/** What any reader of these events must do at least. */
function scan(folder: string, events: number): Promise<Spent> {
  const db = openDatabase(join(folder, 'events.db'), { readOnly: true });
  const page = db.prepare<{ position: number }>(
    `SELECT position, stream, revision, id, type, recorded_at, text FROM events
     WHERE position > ? AND position <= ? ORDER BY position LIMIT ${PAGE}`,
  );
  return spent(events, () => {
    for (let position = 0; position < events;) position = page.all(position, events).at(-1)!.position;
    db.close();
  });
}

function begun(side: AppSide, folder: string, to: number, workers: number, background: boolean): RunningWalk {
  const { ring, registry, ciphers } = side.platform;
  const owner: WalkOwner = {
    keys: async (kids) => {
      const keys = new Map<string, KeyObject | 'destroyed'>();
      for (const kid of kids) {
        const cipher = ciphers.cachedKid(kid) ?? (await ciphers.forKid(kid));
        keys.set(kid, cipher === 'destroyed' ? cipher : cipher.dataKey);
      }
      return keys;
    },
    look: () => Promise.resolve([]),
    onProgress: () => undefined,
    onFaults: (faults) => {
      throw new Error(`the walk found ${JSON.stringify(faults[0])}`);
    },
  };
  const begin = walkOf('iv-bench', 'bench', '2026-01-05T10:00:00.000Z', to);
  const rules = integrityRules(new EventRegistry(registry.all()));
  const shared = { folder, rules, ring: eventKeysOf(ring), background, begin, resume: false, workers };
  return startWalkThread({ ...shared, maxRate: null }, owner);
}

/** With the start of its threads; it gives way to nobody, since nobody else works. */
function walked(side: AppSide, folder: string, events: number, workers: number): Promise<Spent> {
  return spent(events, async () => {
    const { position, faults } = await begun(side, folder, events, workers, false).ended;
    if (position !== events || faults > 0) throw new Error(`the walk ended at ${position} with ${faults} faults`);
  });
}

/** One walk after another runs while the work is done. */
async function beside<T>(side: AppSide, folder: string, events: number, work: () => Promise<T>): Promise<T> {
  let isDone = false;
  let running: RunningWalk | undefined;
  const walking = (async () => {
    while (!isDone) {
      running = begun(side, folder, events, 1, true);
      await running.ended;
    }
  })();
  try {
    return await work();
  } finally {
    isDone = true;
    running?.stop();
    await walking;
  }
}
