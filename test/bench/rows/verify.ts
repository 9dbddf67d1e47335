import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { verifyBundle } from '#lib/verifier';

import { fileOf, SampleLog } from '../../../libs/verifier/src/testing/sample-log.js';
import { below, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';

const RUNS = 20;
/** Turns of the job, three events each. */
const TURNS = 64;
const OTHER_JOBS = 170;
const PROGRAM = fileURLToPath(new URL('../../../libs/verifier/mace-verify.cjs', import.meta.url));

/** The check of a bundle of some 200 events as a process of its own, beside one that does nothing. */
export const verify: Row = {
  name: 'verify',
  async run({ folder, rounds, scale, say }) {
    const log = new SampleLog();
    for (let i = 0; i < OTHER_JOBS; i++) log.job(`other-${i}`, 6);
    const bundle = log.bundle(log.job('bench', TURNS));
    const bytes = fileOf(bundle);
    const file = join(folder, 'job.mace-bundle');
    writeFileSync(file, bytes);
    const runs = Math.max(1, Math.ceil(RUNS * scale));
    const rate =
      (...args: string[]) =>
      (): Promise<number> => {
        const before = performance.now();
        for (let i = 0; i < runs; i++) {
          const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
          if (status !== 0) throw new Error(`the check of a bundle ended ${status}: ${stdout}`);
        }
        return Promise.resolve((runs / (performance.now() - before)) * 1000);
      };
    const inProcess: number[] = [];
    const warm = (): Promise<number> => {
      const before = performance.now();
      for (let i = 0; i < runs; i++) verifyBundle(bytes);
      inProcess.push((performance.now() - before) / runs);
      return Promise.resolve(runs);
    };
    const tasks = { baseline: rate('-e', '0'), measured: rate(PROGRAM, file), warm };
    const figures = await interleave(tasks, { rounds, onTask: (name, round) => say(`round ${round}, ${name}`) });
    const milliseconds = 1000 / median(figures.measured);
    return [
      {
        name: `mace verify, ${bundle.records.length} events`,
        unit: 'bundles/s, a process each',
        figure: median(figures.measured),
        baseline: median(figures.baseline),
        baselineName: 'a process of Node that does nothing',
        ratio: pairedRatio(figures.measured, figures.baseline),
        aims: [below('milliseconds', milliseconds, 100, 'time')],
        details: {
          milliseconds,
          'milliseconds of a process that does nothing': 1000 / median(figures.baseline),
          'milliseconds in a process that runs already': median(inProcess),
          'events in the log': log.events.length,
          'kilobytes of the file': bytes.length / 1024,
        },
      },
    ];
  },
};
