import { join } from 'node:path';

import { emptyHead } from '#lib/event-store';
import { sha256Hex, type DomainEvent } from '#lib/kernel';
import { semStream } from '#lib/memory';

import { message, start } from '../harness/process.js';
import { atLeast, below, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { bareAppends, type BareRow } from './bare-appends.js';
import { benchCodec } from './event-side.js';
import type { RerunDone } from './rerun-process.js';
import { provenanceOf } from './sample-events.js';

const EVENTS = 1_000_000;
const PEOPLE = 1_000;
const KEYS_EACH = 100;
const CHUNK = 10_000;

/** One million SEM_PUTs of a hundred thousand keys, projected again from the first on, with both digests. */
export const rerun: Row = {
  name: 'rerun',
  async run({ folder, rounds, scale, say }) {
    const events = Math.ceil(EVENTS * scale);
    const data = join(folder, 'data');
    await fill(data, events, say);
    say('running the live projection');
    await inChild('live', data, events);
    const seen: RerunDone[] = [];
    const scans: RerunDone[] = [];
    const run = (mode: 'scan' | 'rerun', into: RerunDone[]) => async (): Promise<number> => {
      const done = await inChild(mode, data, events);
      into.push(done);
      return done.perSecond;
    };
    const figures = await interleave(
      { baseline: run('scan', scans), measured: run('rerun', seen) },
      // Each run is a process that starts anew; the file is in the system's cache since it was filled.
      { rounds: Math.min(rounds, 3), warmUps: 0, onTask: (task, round) => say(`round ${round}, ${task}`) },
    );
    const ratio = pairedRatio(figures.measured, figures.baseline);
    const figure = median(figures.measured);
    const growth = median(seen.map(({ peakMiB, earlyPeakMiB }) => peakMiB / earlyPeakMiB));
    return [
      {
        name: `projection rerun, ${events.toLocaleString('en')} events`,
        unit: 'events/s',
        figure,
        baseline: median(figures.baseline),
        baselineName: 'raw page scan and JSON.parse by the same driver',
        ratio,
        aims: [atLeast('ratio', ratio, 0.4), atLeast('rate', figure, 50_000, 'rate'), below('growth', growth, 1.3)],
        details: {
          'peak RSS MiB': median(seen.map(({ peakMiB }) => peakMiB)),
          'peak of the first third MiB': median(seen.map(({ earlyPeakMiB }) => earlyPeakMiB)),
          'peak RSS of the scan MiB': median(scans.map(({ peakMiB }) => peakMiB)),
          'processor microseconds an event': median(seen.map(({ cpuMicroseconds }) => cpuMicroseconds)),
          'of the scan': median(scans.map(({ cpuMicroseconds }) => cpuMicroseconds)),
          'digests equal': seen.every(({ equal }) => equal) ? 'yes' : 'no',
        },
      },
    ];
  },
};

async function inChild(mode: 'live' | 'scan' | 'rerun', folder: string, events: number): Promise<RerunDone> {
  const child = start(new URL('./rerun-process.js', import.meta.url), {
    args: [mode, folder, String(events)],
    nodeFlags: process.execArgv,
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const done = await message<RerunDone>(child, 'done');
  await ended;
  return done;
}

/** Real events, signed and encrypted; put into the file without waiting for the disk, which is not measured here. */
export async function fill(folder: string, events: number, say: (what: string) => void): Promise<void> {
  const codec = benchCodec();
  const heads = new Map<string, { version: number; lastHash: string }>();
  for (let from = 0; from < events; from += CHUNK) {
    say(`making events, ${Math.round((from / events) * 100)} %`);
    const rows: BareRow[] = [];
    for (let nth = from; nth < Math.min(from + CHUNK, events); nth++) {
      const event = semPut(nth);
      const stream = semStream(event.data['key'] as string);
      const head = { ...emptyHead(stream), ...heads.get(stream) };
      const [encoded] = codec.encode(head, [event], provenanceOf(nth, 0), await codec.prepare([event]));
      heads.set(stream, { version: head.version + 1, lastHash: encoded!.hash });
      rows.push({ stream, event: encoded! });
    }
    await bareAppends(folder, rows, { group: CHUNK, synchronous: 'OFF' });
  }
}

/** A scattered order of keys, as people write. */
export function semPut(nth: number): DomainEvent {
  const place = (nth * 7919) % (PEOPLE * KEYS_EACH);
  const value = `value number ${nth}`;
  return {
    type: 'SEM_PUT',
    data: {
      key: `user/profile/user_bench${place % PEOPLE}/attribute_${Math.floor(place / PEOPLE)}`,
      value,
      value_hash: sha256Hex(JSON.stringify(value)),
      source: 'user',
      timestamp: new Date(Date.UTC(2025, 0, 1) + nth).toISOString(),
      applied: true,
    },
  };
}
