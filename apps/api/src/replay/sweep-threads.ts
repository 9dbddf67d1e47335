import { Worker } from 'node:worker_threads';

import { Calls } from '#lib/integrity';
import type { KeyRing, RingKey } from '#lib/kernel';
import type { RangeOutcome, RangeWorker, SweepThreads } from '#lib/replay';
import { workerEntry } from '#lib/sqlite';

import type { SweepOwner, SweepThreadData } from './sweep-thread-data.js';

/** Only what verifies events and snapshots leaves the main thread. */
export function verifyingKeysOf(ring: KeyRing): readonly RingKey[] {
  return ring.all().filter(({ purpose }) => purpose === 'event-hmac' || purpose === 'snapshot-hmac');
}

/** Threads of a sweep, each with a log of its own over the same files. */
export function startSweepThreads(threads: number, data: SweepThreadData, owner: SweepOwner): SweepThreads {
  const started = Array.from({ length: threads }, () => startThread(data, owner));
  return {
    workers: started,
    async stop() {
      await Promise.all(started.map((thread) => thread.stop()));
    },
  };
}

interface SweepThread extends RangeWorker {
  stop(): Promise<void>;
}

function startThread(data: SweepThreadData, owner: SweepOwner): SweepThread {
  const worker = new Worker(workerEntry(import.meta.url, './sweep.worker.cjs'), {
    workerData: data,
    name: 'replay-sweep',
  });
  const calls = new Calls(worker, {
    keys: async (kids: readonly string[]) => owner.keys(kids),
    broughtTo: async () => owner.broughtTo(),
  });
  const gone = new Promise<void>((done) => worker.once('exit', () => done()));
  worker.on('error', (error) => calls.lose(error));
  worker.once('exit', (code) => calls.lose(new Error(`a thread of the sweep ended with code ${code}`)));
  return {
    depth: 2,
    replay: (jobIds) => calls.ask<RangeOutcome>('replay', jobIds),
    stop: () => {
      calls.tell('stop', null);
      return gone;
    },
  };
}
