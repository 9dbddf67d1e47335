import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

import type { Draw } from './draw.js';
import { BEGINNING, type Scheduler, type Timer } from './scheduler.js';

type Callback = (...args: unknown[]) => void;

/**
 * Puts the scheduler in the place of timers and clocks, and seeded draws in that of randomness, for everything that runs
 * in this process until what it answers is called.
 */
export function replaceTimeAndChance(scheduler: Scheduler, draw: Draw): () => void {
  const originals: (() => void)[] = [];
  const replace = <T extends object>(target: T, parts: Record<string, unknown>): void => {
    for (const [name, part] of Object.entries(parts)) {
      const descriptor = Object.getOwnPropertyDescriptor(target, name);
      Object.defineProperty(target, name, { configurable: true, writable: true, value: part });
      originals.push(() =>
        descriptor ? Object.defineProperty(target, name, descriptor) : void Reflect.deleteProperty(target, name),
      );
    }
  };
  replace(globalThis, timersOn(scheduler));
  replace(timersPromises, promisedTimersOn(scheduler));
  replace(Date, { now: () => scheduler.now });
  replace(performance, { now: () => scheduler.now - BEGINNING });
  replace(crypto, {
    randomBytes: (count: number) => draw.bytes(count),
    randomUUID: () => uuidOf(draw.bytes(16).toString('hex')),
  });
  // For those who import one of these by its name.
  syncBuiltinESMExports();
  return () => {
    originals.reverse().forEach((restore) => restore());
    syncBuiltinESMExports();
  };
}

function timersOn(scheduler: Scheduler) {
  const set = (callback: Callback, ms = 0, ...args: unknown[]): Handle =>
    new Handle(scheduler.timer('timer', ms, () => callback(...args)));
  const every = (callback: Callback, ms = 0, ...args: unknown[]): Handle => {
    const again = (): Timer =>
      scheduler.timer('interval', ms, () => {
        handle.timer = again();
        callback(...args);
      });
    const handle = new Handle(again());
    return handle;
  };
  const clear = (handle: Handle | undefined): void => handle?.timer.cancel();
  return {
    setTimeout: set,
    setImmediate: (callback: Callback, ...args: unknown[]) => set(callback, 0, ...args),
    setInterval: every,
    clearTimeout: clear,
    clearImmediate: clear,
    clearInterval: clear,
  };
}

function promisedTimersOn(scheduler: Scheduler) {
  const sleep = <T>(ms: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        timer.cancel();
        reject(new DOMException('the sleep was ended', 'AbortError'));
      };
      const timer = scheduler.timer('sleep', ms, () => {
        signal?.removeEventListener('abort', stop);
        resolve(value);
      });
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop);
    });
  return { setTimeout: sleep, setImmediate: <T>(value?: T) => sleep(0, value) };
}

/** As much of Node's timer as anybody asks of it. */
class Handle {
  constructor(public timer: Timer) {}

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

function uuidOf(hex: string): string {
  const variant = '89ab'[parseInt(hex[16]!, 16) % 4]!;
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, variant + hex.slice(17, 20), hex.slice(20)].join(
    '-',
  );
}
