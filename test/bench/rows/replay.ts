import { join } from 'node:path';

import { openStreamReader, START } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import { auditJob, jobsInFolder, sweep } from '#lib/replay';

import { startSweepThreads, verifyingKeysOf } from '../../../apps/api/src/replay/sweep-threads.js';
import { dataKeysOf } from '../../../apps/api/src/replay/sweeps.provider.js';
import { cpuOf, drive } from '../harness/callers.js';
import { atLeast, type Line, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { type AppSide, openAppSide } from './app-side.js';

const ALONE = { callers: 1, calls: 400 };
const CALLERS = 64;
const JOBS = 3_000;

const COVERED_WITHIN_MS = 60_000;

/**
 * Audit replay of a job against the live job: one at a time, as a person has a job replayed; and, as a detail, both by
 * 64 callers at once, where live jobs share their commits. Then all jobs in one sweep, by one thread and by two, their start
 * included, against live jobs of 64 callers.
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
      const cpu = { baseline: [] as number[], measured: [] as number[] };
      const warm = { 1: [] as number[], 2: [] as number[] };
      const sweepCpu = { 1: [] as number[], 2: [] as number[] };
      const swept = async (threads: 1 | 2): Promise<number> => {
        const figures = await sweptTwice(side, data, threads);
        warm[threads].push(figures.warm);
        sweepCpu[threads].push(figures.cpu);
        return figures.cold;
      };
      const rate = (load: typeof ALONE, call: typeof live, kind?: keyof typeof cpu) => async () => {
        const { perSecond, cpuMicroseconds } = await drive(load, call);
        if (kind) cpu[kind].push(cpuMicroseconds);
        return perSecond;
      };
      const alone = { ...ALONE, calls: Math.ceil(ALONE.calls * scale) };
      const together = { callers: CALLERS, calls: Math.ceil(JOBS * scale) };
      const figures = await interleave(
        {
          baseline: rate(alone, live, 'baseline'),
          measured: rate(alone, audit, 'measured'),
          'live together': rate(together, live),
          'audit together': rate(together, audit),
          'one thread': () => swept(1),
          'two threads': () => swept(2),
        },
        { rounds, onTask: (task, round) => say(`round ${round}, ${task}`) },
      );
      const ratio = pairedRatio(figures.measured, figures.baseline);
      const toLive = pairedRatio(figures['two threads'], figures['live together']);
      const lines: readonly Line[] = [
        {
          name: 'audit replay of a job',
          unit: 'jobs/s',
          figure: median(figures.measured),
          baseline: median(figures.baseline),
          baselineName: 'the live job, durable, one at a time',
          ratio,
          aims: [atLeast('ratio', ratio, 3)],
          details: {
            'processor microseconds a replay': median(cpu.measured),
            'a live job': median(cpu.baseline),
            'replays/s, 64 at once': median(figures['audit together']),
            'live jobs/s, 64 at once': median(figures['live together']),
            'ratio, 64 at once': pairedRatio(figures['audit together'], figures['live together']),
          },
        },
        {
          name: 'sweep of all jobs, two threads',
          unit: 'jobs/s',
          figure: median(figures['two threads']),
          baseline: median(figures['live together']),
          baselineName: 'live jobs, durable, 64 at once',
          ratio: toLive,
          aims: [atLeast('ratio', toLive, 3), atLeast('jobs/s', median(figures['two threads']), 4_000, 'rate')],
          details: {
            'jobs/s, one thread': median(figures['one thread']),
            'two threads to one': pairedRatio(figures['two threads'], figures['one thread']),
            'warm, one thread': median(warm[1]),
            'warm, two threads': median(warm[2]),
            'warm, two threads to live': median(warm[2]) / median(figures['live together']),
            'processor microseconds a job, one warm thread': median(sweepCpu[1]),
            'two warm threads': median(sweepCpu[2]),
          },
        },
      ];
      return lines;
    } finally {
      await side.close();
    }
  },
};

interface Swept {
  /** Jobs a second, with the start of the threads. */
  readonly cold: number;
  /** The same jobs again by the same threads: jobs a second, and processor microseconds each. */
  readonly warm: number;
  readonly cpu: number;
}

/** All jobs, twice by the same threads, which give way to nobody. @throws Error where one is no match */
async function sweptTwice(side: AppSide, folder: string, threads: number): Promise<Swept> {
  const { platform } = side;
  const to = await platform.eventStore.head();
  // That a checkpoint is signed is no part of a sweep.
  const checkpoint = await platform.proof.covering(to, COVERED_WITHIN_MS);
  const reader = openStreamReader(folder);
  const data = { folder, ring: verifyingKeysOf(platform.ring), checkpoint, background: false };
  const owner = { keys: dataKeysOf(platform.ciphers, fail), broughtTo: () => Promise.resolve(null) };
  const started = startSweepThreads(threads, data, owner);
  const once = async (): Promise<{ readonly rate: number; readonly cpu: number }> => {
    const before = process.cpuUsage();
    const began = performance.now();
    const host = { decide: (id: string) => fail(new Error(`${id} is no match`)), onProgress: () => undefined };
    const { signal } = new AbortController();
    const { processed } = await sweep({
      jobs: jobsInFolder(reader),
      after: START,
      to,
      workers: started.workers,
      host,
      signal,
    });
    const rate = (processed / (performance.now() - began)) * 1000;
    return { rate, cpu: cpuOf(process.cpuUsage(before)) / processed };
  };
  try {
    const cold = await once();
    const warm = await once();
    return { cold: cold.rate, warm: warm.rate, cpu: warm.cpu };
  } finally {
    await started.stop();
    reader.close();
  }
}

function fail(error: unknown): never {
  throw error;
}
