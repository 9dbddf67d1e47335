/** Time as replays measure it, one for a process. */
export class ReplayClock {
  /** Milliseconds, monotonic, with fractions. */
  now(): number {
    return performance.now();
  }
}
