import { Worker } from 'node:worker_threads';

import type { Fault } from '../domain/fault.js';
import type { DataKey } from '../range/log-references.js';
import type { Looks, WalkHost } from '../walk/walk.js';
import type { WalkState } from '../walk/walk-state.js';
import { Calls } from './calls.js';
import { ownBusyness } from './courtesy.js';
import type { WalkThreadData } from './thread-data.js';

/** What the process that owns the folder does for a walk. */
export interface WalkOwner extends WalkHost {
  keys(kids: readonly string[]): Promise<ReadonlyMap<string, DataKey>>;
}

export interface RunningWalk {
  /** Where it ended: at its end, or where it was stopped. @throws what the thread broke down with */
  readonly ended: Promise<WalkState>;
  /** Keeps the place and ends; again is no error. */
  stop(): void;
}

/** Runs a walk in a thread of its own, so that whoever answers requests does nothing else. */
export function startWalkThread(data: WalkThreadData, owner: WalkOwner): RunningWalk {
  const worker = new Worker(new URL('./walk.worker.cjs', import.meta.url), {
    workerData: data,
    name: 'integrity-walk',
  });
  let settle: { resolve(state: WalkState): void; reject(error: Error): void };
  const result = new Promise<WalkState>((resolve, reject) => (settle = { resolve, reject }));
  const gone = new Promise<void>((done) => worker.once('exit', () => done()));
  const calls = new Calls(worker, {
    keys: async (kids: readonly string[]) => owner.keys(kids),
    busy: ownBusyness(),
    look: async (looks: Looks) => owner.look(looks),
    progress: (state: WalkState) => owner.onProgress(state),
    faults: (faults: readonly Fault[]) => owner.onFaults(faults),
    withdraw: async (faults: readonly Fault[]) => owner.withdraw?.(faults),
    ended: ({ state }: { readonly state: WalkState }) => settle.resolve(state),
    failed: (error: Error) => settle.reject(error),
  });
  worker.on('error', (error) => settle.reject(error));
  worker.once('exit', (code) => {
    const reason = new Error(`the thread of the integrity walk ended with code ${code}`);
    calls.lose(reason);
    settle.reject(reason);
  });
  const ended = result.finally(() => gone);
  // Who waits for it comes later.
  ended.catch(() => undefined);
  return { ended, stop: () => calls.tell('stop', null) };
}
