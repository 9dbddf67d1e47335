import { Worker } from 'node:worker_threads';

import { Calls } from '#lib/integrity';
import type { KeyRing, RingKey } from '#lib/kernel';
import type { RangeOutcome } from '#lib/replay';

import type { SweepThread } from './kept-threads.js';
import type { SweepOwner, SweepThreadData } from './sweep-thread-data.js';

/** Only what verifies events and snapshots leaves the main thread. */
export function verifyingKeysOf(ring: KeyRing): readonly RingKey[] {
  return ring.all().filter(({ purpose }) => purpose === 'event-hmac' || purpose === 'snapshot-hmac');
}

/** A thread of sweeps, with a log of its own over the files of the folder for each of them. */
export function startSweepThread(data: SweepThreadData, owner: SweepOwner): SweepThread {
  const worker = new Worker(new URL('./sweep.worker.cjs', import.meta.url), {
    workerData: data,
    name: 'replay-sweep',
  });
  const calls = new Calls(worker, {
    keys: async (kids: readonly string[]) => owner.keys(kids),
    broughtTo: async () => owner.broughtTo(),
  });
  let isGone = false;
  let begun: Promise<unknown> = Promise.resolve();
  const gone = new Promise<void>((done) => worker.once('exit', () => done()));
  worker.on('error', (error) => calls.lose(error));
  worker.once('exit', (code) => {
    isGone = true;
    calls.lose(new Error(`a thread of the sweep ended with code ${code}`));
  });
  return {
    depth: 2,
    get isGone() {
      return isGone;
    },
    begin: (task) => {
      worker.ref();
      begun = calls.ask('begin', task);
      // Who has a range replayed comes later; that it failed is seen there.
      begun.catch(() => undefined);
    },
    replay: async (jobIds) => {
      await begun;
      return calls.ask<RangeOutcome>('replay', jobIds);
    },
    end: () => {
      calls.tell('end', null);
      // One that is only kept holds no process up.
      worker.unref();
    },
    stop: () => {
      calls.tell('stop', null);
      return gone;
    },
  };
}
