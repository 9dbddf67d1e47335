import { join } from 'node:path';

import { message, start } from '../harness/process.js';
import { atLeast, atMost, below, type Row } from '../harness/row.js';
import { median } from '../harness/statistics.js';
import type { RebuildDone } from './rebuild-process.js';
import { fill } from './rerun.js';

const EVENTS = 1_000_000;

/** A read model of one million events made anew beside the live one, while commands are carried out. */
export const rebuild: Row = {
  name: 'rebuild',
  async run({ folder, rounds, scale, say }) {
    const events = Math.ceil(EVENTS * scale);
    const data = join(folder, 'data');
    await fill(data, events, say);
    const seen: RebuildDone[] = [];
    for (let round = 1; round <= Math.min(rounds, 3); round++) {
      say(`round ${round}`);
      seen.push(await inChild(data, events, round));
    }
    const of = (pick: (done: RebuildDone) => number): number => median(seen.map(pick));
    const slowdown = of(({ before, during }) => during.p99Ms / before.p99Ms);
    const growth = of(({ peakMiB, earlyPeakMiB }) => peakMiB / earlyPeakMiB);
    const figure = of(({ perSecond }) => perSecond);
    return [
      {
        name: `rebuild under commands, ${events.toLocaleString('en')} events`,
        unit: 'events/s',
        figure,
        baseline: null,
        baselineName: '',
        ratio: null,
        aims: [
          atMost('p99 of commands, of before', slowdown, 2),
          below('growth', growth, 1.3),
          atLeast(
            'true looks at the progress',
            of(({ trueLooks, looks }) => trueLooks / looks),
            1,
          ),
        ],
        details: {
          'p50 before ms': of(({ before }) => before.p50Ms),
          'p50 during ms': of(({ during }) => during.p50Ms),
          'p99 before ms': of(({ before }) => before.p99Ms),
          'p99 during ms': of(({ during }) => during.p99Ms),
          'commands during': of(({ during }) => during.commands),
          'peak RSS MiB': of(({ peakMiB }) => peakMiB),
          'RSS at a tenth MiB': of(({ rssMiB: [tenth] }) => tenth),
          'RSS at half MiB': of(({ rssMiB: [, half] }) => half),
          'RSS at the end MiB': of(({ rssMiB: [, , end] }) => end),
          'peak of the first third MiB': of(({ earlyPeakMiB }) => earlyPeakMiB),
          'processor microseconds an event': of(({ cpuMicroseconds }) => cpuMicroseconds),
          'digests equal': seen.every(({ equal }) => equal) ? 'yes' : 'no',
        },
      },
    ];
  },
};

async function inChild(folder: string, events: number, round: number): Promise<RebuildDone> {
  const child = start(new URL('./rebuild-process.js', import.meta.url), {
    args: [folder, String(events), String(round)],
    nodeFlags: process.execArgv,
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const done = await message<RebuildDone>(child, 'done');
  await ended;
  return done;
}
