import { parentPort, Worker, workerData } from 'node:worker_threads';

import { openEventLogReader } from '#lib/event-store';

import { readRange } from '../range/read-range.js';
import { RangeVerifier } from '../range/range-verifier.js';
import { type RangeWorker, walk } from '../walk/walk.js';
import { WalkFile } from '../walk/walk-file.js';
import type { WalkState } from '../walk/walk-state.js';
import { Calls } from './calls.js';
import { askedKeys, type RangeThreadData, ringOf, turns, type WalkThreadData } from './thread-data.js';

/**
 * The walk's own thread: checks ranges itself, hands others out, joins what comes back and keeps its place. What it
 * needs of the process that owns the folder it asks for.
 */
const data = workerData as WalkThreadData;
const port = parentPort!;
const stopper = new AbortController();
const owner = new Calls(port, { stop: () => stopper.abort() });
const keys = askedKeys(owner);

interface Helper extends RangeWorker {
  stop(): Promise<void>;
}

async function run(): Promise<WalkState> {
  const turn = turns(owner, data);
  const ring = ringOf(data.ring);
  const place = new WalkFile(data.folder, ring);
  const reader = openEventLogReader(data.folder);
  const helpers: Helper[] = [];
  try {
    const from = startOf(place);
    owner.tell('progress', from);
    for (let i = 1; i < data.workers; i++) helpers.push(helper());
    const verifier = new RangeVerifier(data.rules, ring, keys);
    const own: RangeWorker = {
      depth: 1,
      verify: (range) =>
        verifier.verify(range, async (part) => {
          await turn();
          return readRange(reader, part);
        }),
    };
    const end = await walk(from, {
      rules: data.rules,
      workers: [...helpers, own],
      place,
      host: {
        look: (looks) => owner.ask('look', looks),
        onProgress: (state) => owner.tell('progress', state),
        onFaults: (faults) => owner.tell('faults', faults),
        withdraw: (faults) => owner.ask('withdraw', faults),
      },
      signal: stopper.signal,
      ...(data.maxRate === null ? {} : { maxRate: data.maxRate }),
    });
    return end;
  } finally {
    for (const one of helpers) await one.stop();
    reader.close();
    place.close();
  }
}

function startOf(place: WalkFile): WalkState {
  const left = data.resume ? place.resume() : null;
  if (left) {
    owner.tell('faults', left.faults);
    return left.state;
  }
  place.begin();
  return data.begin;
}

function helper(): Helper {
  const { folder, rules, ring, background, workers } = data;
  const worker = new Worker(new URL('./range.worker.cjs', import.meta.url), {
    workerData: { folder, rules, ring, background, workers } satisfies RangeThreadData,
    name: 'integrity-range',
  });
  const calls = new Calls(worker, {
    keys: async (kids: readonly string[]) => keys.keys(kids),
    busy: () => owner.ask('busy', null),
  });
  const ended = new Promise<void>((done) => worker.once('exit', () => done()));
  worker.on('error', (error) => calls.lose(error));
  worker.once('exit', (code) => calls.lose(new Error(`a thread of the integrity walk ended with code ${code}`)));
  return {
    depth: 2,
    verify: (range) => calls.ask('verify', range),
    stop: () => {
      calls.tell('stop', null);
      return ended;
    },
  };
}

run().then(
  (state) => {
    owner.tell('ended', { state, isWhole: state.position === state.to });
    port.close();
  },
  (error: unknown) => {
    owner.tell('failed', error);
    port.close();
  },
);
