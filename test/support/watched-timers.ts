/** Timers that some modules set from now on, told by the places that set them: others in this process set their own. */
export interface WatchedTimers {
  readonly set: readonly unknown[];
  /** How many ms each was set to wait. */
  readonly waits: readonly number[];
  /** Those that were set and neither cleared nor fired. */
  left(): readonly unknown[];
}

/** @param places of the modules, in a path: `/libs\/council\//` */
export function watchTimers(places: RegExp): WatchedTimers {
  const { setTimeout: real, clearTimeout: realClear } = globalThis;
  const set: unknown[] = [];
  const waits: number[] = [];
  const ended = new Set<unknown>();
  const setting = (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): unknown => {
    const fire = (): void => {
      ended.add(timer);
      run(...args);
    };
    const timer: unknown = real(fire, ms);
    if (places.test(new Error().stack ?? '')) {
      set.push(timer);
      waits.push(ms ?? 0);
    }
    return timer;
  };
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(setting as typeof setTimeout);
  jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    ended.add(timer);
    realClear(timer);
  });
  return { set, waits, left: () => set.filter((timer) => !ended.has(timer)) };
}
