import { join } from 'node:path';

import { Snapshots } from '#lib/governance';
import { auditJob } from '#lib/replay';

import { drive } from '../harness/callers.js';
import { atLeast, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { openAppSide } from './app-side.js';

const ALONE = { callers: 1, calls: 400 };
const CALLERS = 64;
const JOBS = 3_000;

/**
 * Audit replay of a job against the live job: one at a time, as a person has a job replayed; and, as a detail, both by
 * 64 callers at once, where live jobs share their commits.
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
        },
        { rounds, onTask: (task, round) => say(`round ${round}, ${task}`) },
      );
      const ratio = pairedRatio(figures.measured, figures.baseline);
      return [
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
      ];
    } finally {
      await side.close();
    }
  },
};
