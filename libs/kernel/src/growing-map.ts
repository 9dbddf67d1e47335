/**
 * An immutable map for states that are folded from many events: a copy for each event would cost the square of their
 * number. Entries stand in levels, each at least twice as large as the one after it, so that one more entry copies few
 * others: n entries cost n log n, whatever their keys. Maps made before stay as they were.
 */
export class GrowingMap<K, V> {
  private constructor(private readonly levels: readonly ReadonlyMap<K, V>[]) {}

  static empty<K, V>(): GrowingMap<K, V> {
    return new GrowingMap<K, V>([]);
  }

  has(key: K): boolean {
    return this.levels.some((level) => level.has(key));
  }

  /** What was set last under this key. */
  get(key: K): V | undefined {
    return this.levels.findLast((level) => level.has(key))?.get(key);
  }

  /**
   * @param keep which entries are worth copying; the others fall out in time, not at once. Only where no key is set
   * twice: else what a forgotten entry had replaced would come back.
   */
  with(key: K, value: V, keep: (value: V) => boolean = () => true): GrowingMap<K, V> {
    let newest: ReadonlyMap<K, V> = new Map([[key, value]]);
    let older = this.levels.length;
    while (older > 0 && this.levels[older - 1]!.size < 2 * newest.size) {
      const merged = [...this.levels[--older]!, ...newest];
      newest = new Map(merged.filter((entry) => keep(entry[1])));
    }
    return new GrowingMap([...this.levels.slice(0, older), newest]);
  }

  /** One entry for each key, in the order in which the keys came. */
  entries(): ReadonlyMap<K, V> {
    return new Map(this.levels.flatMap((level) => [...level]));
  }
}
