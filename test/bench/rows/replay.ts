import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { Snapshots } from '#lib/governance';
import { auditJob, Sweeps, type SweepView } from '#lib/replay';

import { cpuOf, drive } from '../harness/callers.js';
import { atLeast, type Line, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { type AppSide, contextOf, openAppSide } from './app-side.js';

const ALONE = { callers: 1, calls: 400 };
const CALLERS = 64;
const JOBS = 3_000;

const POLL_MS = 20;

/**
 * Audit replay of a job against the live job: one at a time, as a person has a job replayed; and, as a detail, both by
 * 64 callers at once, where live jobs share their commits. Then all jobs in one sweep, by one thread and by two, their start
 * and the two events on record included, against live jobs of 64 callers.
 */
export const replay: Row = {
  name: 'replay',
  async run({ folder, rounds, scale, say }) {
    const side = await openAppSide(join(folder, 'data'));
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
      const sweepCpu: number[] = [];
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
          'one thread': () => swept(side, 1, sweepCpu),
          'two threads': () => swept(side, 2),
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
          aims: [atLeast('ratio', toLive, 3), atLeast('jobs/s', median(figures['two threads']), 4_000)],
          details: {
            'jobs/s, one thread': median(figures['one thread']),
            'two threads to one': pairedRatio(figures['two threads'], figures['one thread']),
            'processor microseconds a job, one thread': median(sweepCpu),
          },
        },
      ];
      return lines;
    } finally {
      await side.close();
    }
  },
};

/** Jobs a second of one sweep over the whole log. @throws Error where one is no match */
async function swept(side: AppSide, threads: number, cpu: number[] = []): Promise<number> {
  const sweeps = side.app.nest.get(Sweeps, { strict: false });
  const { proof, eventStore } = side.platform;
  // That a checkpoint is signed is no part of a sweep.
  await proof.covering(await eventStore.head(), 60_000);
  const before = process.cpuUsage();
  const began = performance.now();
  let view: SweepView = await sweeps.begin({ threads }, contextOf(0, 'POST', '/replay/sweeps', String(threads)));
  while (view.state === 'running') {
    await wait(POLL_MS);
    view = await sweeps.get(view.sweep_id);
  }
  const seconds = (performance.now() - began) / 1000;
  if (view.state !== 'done' || view.unmatched_total > 0) throw new Error(`a sweep ended ${JSON.stringify(view)}`);
  cpu.push(cpuOf(process.cpuUsage(before)) / view.processed);
  return view.processed / seconds;
}
