/**
 * Is a history of overlapping puts and gets on one register one that a single register could have answered, each
 * operation taking effect at one moment between its call and its return? (Wing and Gong's search, with the states seen
 * remembered, as Lowe does.)
 */

export interface Operation<V> {
  readonly client: number;
  readonly kind: 'put' | 'get';
  /** What was put, or what the get answered. */
  readonly value: V;
  /** Moments of one clock; `returned` is undefined where no answer came, so that the effect may come at any time or never. */
  readonly called: number;
  readonly returned: number | undefined;
}

/**
 * @param initial what a get answers before the first put
 * @returns null where the history is linearizable, else the longest part that could be put in order
 */
export function findViolation<V>(history: readonly Operation<V>[], initial: V): readonly Operation<V>[] | null {
  // A get without an answer says nothing.
  const operations = history.filter(({ kind, returned }) => kind === 'put' || returned !== undefined);
  const done = new Array<boolean>(operations.length).fill(false);
  const seen = new Set<string>();
  const order: Operation<V>[] = [];
  let longest: Operation<V>[] = [];

  const search = (current: V): boolean => {
    const open = operations.filter((_, i) => !done[i]);
    if (open.every(({ returned }) => returned === undefined)) return true;
    const state = `${done.map((is) => (is ? 1 : 0)).join('')} ${JSON.stringify(current)}`;
    if (seen.has(state)) return false;
    seen.add(state);
    // Whatever returned first must have taken effect before anything that was called later.
    const deadline = Math.min(...open.map(({ returned }) => returned ?? Infinity));
    for (let i = 0; i < operations.length; i++) {
      const operation = operations[i]!;
      if (done[i] || operation.called > deadline) continue;
      if (operation.kind === 'get' && operation.value !== current) continue;
      done[i] = true;
      order.push(operation);
      if (order.length > longest.length) longest = [...order];
      if (search(operation.kind === 'put' ? operation.value : current)) return true;
      order.pop();
      done[i] = false;
    }
    return false;
  };

  return search(initial) ? null : longest;
}
