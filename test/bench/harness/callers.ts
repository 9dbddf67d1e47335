import { performance } from 'node:perf_hooks';

export interface Load {
  readonly callers: number;
  /** Calls of all callers together. */
  readonly calls: number;
}

export interface Throughput {
  readonly perSecond: number;
  /** Milliseconds each call took, in no order. */
  readonly latencies: Float64Array;
  /** Processor time of all threads of this process a call, in microseconds: unlike a rate, hardly moved by other load. */
  readonly cpuMicroseconds: number;
}

/** Many callers, each making its next call when the one before has been answered, until all calls are made. */
export async function drive(
  { callers, calls }: Load,
  call: (caller: number, nth: number) => Promise<unknown>,
): Promise<Throughput> {
  const latencies = new Float64Array(calls);
  let next = 0;
  const before = process.cpuUsage();
  const began = performance.now();
  const one = async (caller: number): Promise<void> => {
    for (let nth = next++; nth < calls; nth = next++) {
      const start = performance.now();
      await call(caller, nth);
      latencies[nth] = performance.now() - start;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => one(caller)));
  const perSecond = (calls / (performance.now() - began)) * 1000;
  return { perSecond, latencies, cpuMicroseconds: cpuOf(process.cpuUsage(before)) / calls };
}

export function cpuOf({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}

/** Things a second for work that is done in one go. */
export async function timed(count: number, work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return (count / (performance.now() - began)) * 1000;
}
