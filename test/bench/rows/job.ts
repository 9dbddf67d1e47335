import { join } from 'node:path';

import { drive } from '../harness/callers.js';
import { atLeast, below, type Row } from '../harness/row.js';
import { interleave, median, quantile } from '../harness/statistics.js';
import { openAppSide } from './app-side.js';

const CALLERS = 64;
const JOBS = 6_000;

/** Whole jobs through the command bus, sealed and durable when answered: half profile lookups, half sums. */
export const job: Row = {
  name: 'job',
  async run({ folder, rounds, scale, say }) {
    const jobs = Math.ceil(JOBS * scale);
    const side = await openAppSide(join(folder, 'data'));
    try {
      for (let caller = 0; caller < CALLERS; caller++) await side.remember(caller);
      const p50s: number[] = [];
      const p99s: number[] = [];
      const cpu: number[] = [];
      const measured = async (): Promise<number> => {
        const { perSecond, latencies, cpuMicroseconds } = await drive(
          { callers: CALLERS, calls: jobs },
          (caller, nth) => side.ask(caller, nth),
        );
        p50s.push(quantile(latencies, 0.5));
        p99s.push(quantile(latencies, 0.99));
        cpu.push(cpuMicroseconds);
        return perSecond;
      };
      const figures = await interleave({ measured }, { rounds, onTask: (_, round) => say(`round ${round}`) });
      const figure = median(figures.measured);
      const p99 = median(p99s.slice(-rounds));
      return [
        {
          name: 'full job in process',
          unit: 'jobs/s',
          figure,
          baseline: null,
          baselineName: '',
          ratio: null,
          aims: [atLeast('rate', figure, 1500, 'rate'), below('p99 ms', p99, 100, 'time')],
          details: {
            'p50 ms': median(p50s.slice(-rounds)),
            'p99 ms': p99,
            'processor microseconds a job': median(cpu.slice(-rounds)),
            'jobs a round': jobs,
            callers: CALLERS,
          },
        },
      ];
    } finally {
      await side.close();
    }
  },
};
