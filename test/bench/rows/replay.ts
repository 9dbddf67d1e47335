import { join } from 'node:path';

import { openStreamReader, type Position, START } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import { auditJob, jobsInFolder, sweep } from '#lib/replay';

import { KeptThreads } from '../../../apps/api/src/replay/kept-threads.js';
import { startSweepThread, verifyingKeysOf } from '../../../apps/api/src/replay/sweep-threads.js';
import { dataKeysOf } from '../../../apps/api/src/replay/sweeps.provider.js';
import { cpuOf, drive, type Throughput } from '../harness/callers.js';
import { atLeast, type Line, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { type AppSide, openAppSide } from './app-side.js';

const ALONE = { callers: 1, calls: 400 };
const CALLERS = 64;
const TOGETHER = 3_000;
const SWEPT = 12_000;

const COVERED_WITHIN_MS = 60_000;

type Spent = Pick<Throughput, 'perSecond' | 'cpuMicroseconds'>;

/**
 * Audit replay of a job against the live job: one at a time, as a person has a job replayed; and, as a detail, both by
 * 64 callers at once, where live jobs share their commits. Then a log of jobs in one sweep, by one thread and by two, against
 * live jobs of 64 callers: from cold, with the start of the threads, and again by the threads that are kept.
 */
export const replay: Row = {
  name: 'replay',
  async run({ folder, rounds, scale, say }) {
    const data = join(folder, 'data');
    const side = await openAppSide(data);
    try {
      const snapshots = side.app.nest.get(Snapshots);
      for (let caller = 0; caller < CALLERS; caller++) await side.remember(caller);
      const ids: string[] = [];
      const live = async (caller: number, nth: number): Promise<void> => {
        ids[nth] = (await side.ask(caller, nth)).job_id;
      };
      const audit = async (_: number, nth: number): Promise<void> => {
        const { verdict, divergences } = await auditJob(side.platform.events, snapshots, ids[nth]!);
        if (verdict !== 'MATCH') throw new Error(`a replay ended ${verdict}: ${JSON.stringify(divergences[0])}`);
      };
      say('asking the jobs that are swept');
      await drive({ callers: CALLERS, calls: Math.ceil(SWEPT * scale) }, live);
      const sweeps = await Sweeping.over(side, data);
      const swept = (threads: number) => () => sweeps.once(threads);
      const sweptCold = (threads: number) => async () => {
        await sweeps.startCold();
        return sweeps.once(threads);
      };
      const alone = { ...ALONE, calls: Math.ceil(ALONE.calls * scale) };
      const together = { callers: CALLERS, calls: Math.ceil(TOGETHER * scale) };
      const figures = await interleave<string, Spent>(
        {
          live: () => drive(alone, live),
          audit: () => drive(alone, audit),
          'live together': () => drive(together, live),
          'audit together': () => drive(together, audit),
          'one new thread': sweptCold(1),
          'one kept thread': swept(1),
          'two new threads': sweptCold(2),
          'two kept threads': swept(2),
        },
        { rounds, onTask: (task, round) => say(`round ${round}, ${task}`) },
      );
      await sweeps.close();
      const rates = (task: string): number[] => figures[task]!.map(({ perSecond }) => perSecond);
      const rate = (task: string): number => median(rates(task));
      const cpu = (task: string): number => median(figures[task]!.map(({ cpuMicroseconds }) => cpuMicroseconds));
      const ratio = pairedRatio(rates('audit'), rates('live'));
      const sweepLine = (name: string, one: string, two: string): Line => {
        const toLive = pairedRatio(rates(two), rates('live together'));
        return {
          name,
          unit: 'jobs/s',
          figure: rate(two),
          baseline: rate('live together'),
          baselineName: 'live jobs, durable, 64 at once',
          ratio: toLive,
          aims: [atLeast('ratio', toLive, 3), atLeast('jobs/s', rate(two), 4_000, 'rate')],
          details: {
            'jobs/s, one thread': rate(one),
            'two threads to one': pairedRatio(rates(two), rates(one)),
            'processor microseconds a job, one thread': cpu(one),
            'two threads': cpu(two),
            'a live job': cpu('live together'),
          },
        };
      };
      const jobs = `${sweeps.jobs.toLocaleString('en')} jobs`;
      return [
        {
          name: 'audit replay of a job',
          unit: 'jobs/s',
          figure: rate('audit'),
          baseline: rate('live'),
          baselineName: 'the live job, durable, one at a time',
          ratio,
          aims: [atLeast('ratio', ratio, 3)],
          details: {
            'processor microseconds a replay': cpu('audit'),
            'a live job': cpu('live'),
            'replays/s, 64 at once': rate('audit together'),
            'live jobs/s, 64 at once': rate('live together'),
            'ratio, 64 at once': pairedRatio(rates('audit together'), rates('live together')),
          },
        },
        sweepLine(`sweep of ${jobs} by two new threads`, 'one new thread', 'two new threads'),
        sweepLine('the same by two kept threads', 'one kept thread', 'two kept threads'),
      ];
    } finally {
      await side.close();
    }
  },
};

/** Sweeps of the jobs that a log has now, by threads that give way to nobody. */
class Sweeping {
  jobs = 0;
  private kept: KeptThreads;

  private constructor(
    private readonly side: AppSide,
    private readonly folder: string,
    private readonly to: Position,
  ) {
    this.kept = this.threads();
  }

  static async over(side: AppSide, folder: string): Promise<Sweeping> {
    return new Sweeping(side, folder, await side.platform.eventStore.head());
  }

  /** The next sweep has to start its threads. */
  async startCold(): Promise<void> {
    await this.kept.close();
    this.kept = this.threads();
  }

  close(): Promise<void> {
    return this.kept.close();
  }

  /** @throws Error where a job is no match */
  async once(threads: number): Promise<Spent> {
    const { platform } = this.side;
    // That a checkpoint is signed is no part of a sweep.
    const checkpoint = await platform.proof.covering(this.to, COVERED_WITHIN_MS);
    const reader = openStreamReader(this.folder);
    const before = process.cpuUsage();
    const began = performance.now();
    const opened = this.kept.open(threads, { ring: verifyingKeysOf(platform.ring), checkpoint });
    try {
      const host = { decide: (id: string) => fail(new Error(`${id} is no match`)), onProgress: () => undefined };
      const { signal } = new AbortController();
      const jobs = jobsInFolder(reader);
      const { processed } = await sweep({ jobs, after: START, to: this.to, workers: opened.workers, host, signal });
      this.jobs = processed;
      const perSecond = (processed / (performance.now() - began)) * 1000;
      return { perSecond, cpuMicroseconds: cpuOf(process.cpuUsage(before)) / processed };
    } finally {
      await opened.stop();
      reader.close();
    }
  }

  private threads(): KeptThreads {
    const keys = dataKeysOf(this.side.platform.ciphers, fail);
    const owner = { keys, broughtTo: () => Promise.resolve(null) };
    return new KeptThreads(() => startSweepThread({ folder: this.folder, background: false }, owner));
  }
}

function fail(error: unknown): never {
  throw error;
}
