/** The middle value; of an even number of values the mean of the middle two. @throws RangeError for no values */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no values have no median');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The smallest value that at least a share `q` (0 to 1) of the values do not exceed. @throws RangeError for no values */
export function quantile(values: ArrayLike<number>, q: number): number {
  if (values.length === 0) throw new RangeError('no values have no quantile');
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)]!;
}

/**
 * The median of what each round's measured figure is of the same round's baseline. Figures of one round were taken
 * within seconds of each other, so a machine that slows down for a while slows both.
 * @throws RangeError where the rounds do not pair
 */
export function pairedRatio(measured: readonly number[], baseline: readonly number[]): number {
  if (measured.length !== baseline.length) throw new RangeError('every round has one baseline and one measured figure');
  return median(measured.map((figure, round) => figure / baseline[round]!));
}

/** One run, and what it gave: a figure, or several. */
export type Task<T = number> = () => Promise<T>;

/**
 * Runs the tasks in turn, round after round: a, b, a, b. The first `warmUps` rounds are run and dropped.
 * @returns what each task gave, in the order of the rounds
 */
export async function interleave<K extends string, T>(
  tasks: Readonly<Record<K, Task<T>>>,
  { rounds, warmUps = 1, onTask }: { rounds: number; warmUps?: number; onTask?: (name: K, round: number) => void },
): Promise<Record<K, T[]>> {
  const names = Object.keys(tasks) as K[];
  const given = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<K, T[]>;
  for (let round = 1 - warmUps; round <= rounds; round++) {
    for (const name of names) {
      onTask?.(name, round);
      const one = await tasks[name]();
      if (round > 0) given[name].push(one);
    }
  }
  return given;
}
