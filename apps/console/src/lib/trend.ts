/** What was answered about a projection at a time. */
export interface LagSample {
  readonly atMs: number;
  readonly position: string;
  readonly head: string;
  readonly lagEvents: number;
}

export interface Trend {
  readonly lag: 'falling' | 'rising' | 'steady';
  /** Positions of the log that it went through, a second. */
  readonly rate: number;
  /** Positions by which the log grew, a second. */
  readonly growth: number;
  /** Until it has caught up, where it goes on as in these answers; null where it would not, or has. */
  readonly etaSeconds: number | null;
}

/** What successive answers, oldest first, say together; undefined as long as there are not two. */
export function trendOf(samples: readonly LagSample[]): Trend | undefined {
  const [oldest, before, last] = [samples[0], samples.at(-2), samples.at(-1)];
  if (!oldest || !before || !last) return undefined;
  // What stands still now goes nowhere, however fast it was half a minute ago.
  const first = last.lagEvents > 0 && last.position === before.position ? before : oldest;
  if (last.atMs <= first.atMs) return undefined;
  const seconds = (last.atMs - first.atMs) / 1_000;
  const rate = Number(BigInt(last.position) - BigInt(first.position)) / seconds;
  const growth = Number(BigInt(last.head) - BigInt(first.head)) / seconds;
  const change = last.lagEvents - first.lagEvents;
  return {
    lag: change < 0 ? 'falling' : change > 0 ? 'rising' : 'steady',
    rate,
    growth,
    etaSeconds: last.lagEvents > 0 && rate > growth ? last.lagEvents / (rate - growth) : null,
  };
}
