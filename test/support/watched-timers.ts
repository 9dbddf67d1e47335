/** Timers that some modules set from now on, told by the places that set them: others in this process set their own. */
export interface WatchedTimers {
  readonly set: readonly unknown[];
  /** Those that were set and not cleared. */
  left(): readonly unknown[];
}

/** @param places of the modules, in a path: `/libs\/council\//` */
export function watchTimers(places: RegExp): WatchedTimers {
  const { setTimeout: real, clearTimeout: realClear } = globalThis;
  const set: unknown[] = [];
  const cleared = new Set<unknown>();
  jest.spyOn(globalThis, 'setTimeout').mockImplementation((...args: Parameters<typeof setTimeout>) => {
    const timer = real(...args);
    if (places.test(new Error().stack ?? '')) set.push(timer);
    return timer;
  });
  jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    cleared.add(timer);
    realClear(timer);
  });
  return { set, left: () => set.filter((timer) => !cleared.has(timer)) };
}
